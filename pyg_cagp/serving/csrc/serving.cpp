// Doubts and scores of triples, each found in one call.
//
// A small model scores a batch in a time in which some twenty calls of PyTorch
// are made, so a handful more would show. Hence these functions are called
// without what wraps such functions otherwise: neither pybind11 nor PyTorch's
// dispatcher stands between Python and the loop. Where the dispatcher has more
// to do than to call a function, PyTorch is left to do it: see `is_watched`.

#include <ATen/ATen.h>
#include <ATen/PythonTorchFunctionTLS.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "passes.h"

namespace serving {
namespace {

struct Served : Source {
  py::function by_pytorch;  // Reads doubts, after checks, or says why not.
};

at::Tensor ids(PyObject* given) {
  const at::Tensor& found = THPVariable_Unpack(given);
  TORCH_CHECK(found.is_cpu() && !found.is_neg(), "ids must be in memory");
  switch (found.scalar_type()) {
    case at::kLong:
      return found.is_contiguous() ? found : found.contiguous();
    case at::kInt:
    case at::kShort:
    case at::kChar:
    case at::kByte:
      return found.to(at::kLong).contiguous();
    default:
      TORCH_CHECK_TYPE(false, "ids must be integers");
  }
}

Ids all_ids(PyObject* const* args) {
  Ids found{ids(args[0]), ids(args[1]), ids(args[2]), {}};
  TORCH_CHECK(found.head.sizes() == found.rel.sizes() &&
                  found.head.sizes() == found.tail.sizes(),
              "ids must be of the same shape");
  found.triples = {found.head.const_data_ptr<int64_t>(),
                   found.rel.const_data_ptr<int64_t>(),
                   found.tail.const_data_ptr<int64_t>(), found.head.numel()};
  return found;
}

// Whether somebody must see what is done: a tracer, a mode such as that of
// make_fx, a transform such as vmap.
bool is_watched() {
  using c10::DispatchKey;
  constexpr c10::DispatchKeySet watchers{
      DispatchKey::Tracer, DispatchKey::Python,
      DispatchKey::FuncTorchDynamicLayerFrontMode};
  return c10::impl::tls_local_dispatch_key_set().included_.has_any(watchers) ||
         at::impl::torch_function_mode_enabled();
}

// Subclasses of tensors have a say in what is done with them.
bool are_plain_tensors(PyObject* const* args, Py_ssize_t count) {
  return std::all_of(args, args + count, [](PyObject* given) {
    return THPVariable_CheckExact(given);
  });
}

const Served& served_by(PyObject* self) {
  return *static_cast<Served*>(PyCapsule_GetPointer(self, nullptr));
}

PyObject* doubt(PyObject* self, PyObject* const* args, Py_ssize_t num_args,
                PyObject* names) {
  HANDLE_TH_ERRORS
  const Served& served = served_by(self);
  if (names == nullptr && num_args == 3 && are_plain_tensors(args, 3) &&
      !is_watched()) {
    try {
      return THPVariable_Wrap(doubts_of(served, all_ids(args)));
    } catch (const c10::Error&) {
      // PyTorch's reader finds the same and says it better.
    }
  }
  return PyObject_Vectorcall(served.by_pytorch.ptr(), args, num_args, names);
  END_HANDLE_TH_ERRORS
}

bool has_gradients(const at::Tensor& weight) {
  return (at::GradMode::is_enabled() && weight.requires_grad()) ||
         weight._fw_grad(0).defined();
}

// The model looks up no other ids.
bool are_for_models(PyObject* const* args) {
  return std::all_of(args, args + 3, [](PyObject* given) {
    const auto type = THPVariable_Unpack(given).scalar_type();
    return type == at::kLong || type == at::kInt;
  });
}

// Calls a function with ids and embeddings, if the model would do no more than
// to multiply them; returns None if not, and if something is wrong.
template <class Find>
PyObject* if_possible(PyObject* self, PyObject* const* args,
                      Py_ssize_t num_args, Find find) {
  HANDLE_TH_ERRORS
  const Served& served = served_by(self);
  if (num_args == 6 && are_plain_tensors(args, 5) && !is_watched() &&
      are_for_models(args)) {
    const at::Tensor &node = THPVariable_Unpack(args[3]),
                     &rel = THPVariable_Unpack(args[4]);
    try {
      if (!has_gradients(node) && !has_gradients(rel)) {
        return find(served, all_ids(args),
                    embeddings_of(node, rel, args[5] == Py_True,
                                  served.limits));
      }
    } catch (const c10::Error&) {
      // The model finds the same.
    }
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* score(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  return if_possible(self, args, num_args, [](auto&&... given) {
    return THPVariable_Wrap(scores_of(given...));
  });
}

PyObject* both(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  return if_possible(self, args, num_args, [](auto&&... given) {
    auto [scores, doubts] = both_of(given...);
    auto first = py::reinterpret_steal<py::object>(
        THPVariable_Wrap(std::move(scores)));
    auto second = py::reinterpret_steal<py::object>(
        THPVariable_Wrap(std::move(doubts)));
    return py::make_tuple(std::move(first), std::move(second))
        .release()
        .ptr();
  });
}

template <class Function>
PyCFunction as_method(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

PyMethodDef DOUBT = {"doubt", as_method(doubt), METH_FASTCALL | METH_KEYWORDS,
                     "Returns the doubt about each triple."};
PyMethodDef SCORE = {"score", as_method(score), METH_FASTCALL,
                     "Returns the score of each triple, or None."};
PyMethodDef BOTH = {"both", as_method(both), METH_FASTCALL,
                    "Returns the score of each triple and the doubt about it, "
                    "or None."};

void forget(PyObject* capsule) {
  delete static_cast<Served*>(PyCapsule_GetPointer(capsule, nullptr));
}

py::object function(PyMethodDef& method, const py::object& capsule) {
  auto made = py::reinterpret_steal<py::object>(
      PyCFunction_New(&method, capsule.ptr()));
  if (!made) throw py::error_already_set();
  return made;
}

void check(bool fits) {
  TORCH_CHECK(fits, "'table' cannot be read, as its parts do not fit together; "
                    "make it from an estimator");
}

void check_own(const std::optional<at::Tensor>& own, int64_t num_nodes) {
  check(!own || (own->is_cpu() && own->is_contiguous() &&
                 own->scalar_type() == at::kFloat &&
                 own->numel() == num_nodes));
}

// Returns functions that find doubts, scores, and both.
py::tuple functions(at::Tensor cells, std::optional<at::Tensor> head_own,
                    std::optional<at::Tensor> tail_own, double weight,
                    bool larger, int64_t num_relations, int64_t num_ids,
                    int64_t columns, py::function by_pytorch) {
  // All that `Doubt` relies on: it reads memory by these numbers.
  check(num_relations > 0);
  check(num_ids == num_relations || num_ids == 2 * num_relations);
  check(columns == num_relations || columns == 2 * num_relations);
  check(cells.is_cpu() && cells.is_contiguous() && cells.dim() == 2);
  const bool bits = cells.scalar_type() == at::kByte;
  check(bits || cells.scalar_type() == at::kFloat);
  const int64_t num_nodes = cells.size(0), stride = cells.size(1);
  check(stride * (bits ? 8 : 1) >= columns);
  check(head_own.has_value() == tail_own.has_value());
  check_own(head_own, num_nodes);
  check_own(tail_own, num_nodes);
  const auto size = [](int64_t given) { return static_cast<uint64_t>(given); };
  auto served = std::make_unique<Served>(
      Served{{{size(num_nodes), size(num_ids)},
              {std::move(cells), std::move(head_own), std::move(tail_own),
               static_cast<float>(weight), larger, size(num_relations),
               size(columns), size(stride)}},
             std::move(by_pytorch)});
  auto capsule = py::reinterpret_steal<py::object>(
      PyCapsule_New(served.get(), nullptr, forget));
  if (!capsule) throw py::error_already_set();
  served.release();  // It is the capsule's now.
  has_threads();  // Whoever comes later may have been forked.
  return py::make_tuple(function(DOUBT, capsule), function(SCORE, capsule),
                        function(BOTH, capsule));
}

}  // namespace
}  // namespace serving

PYBIND11_MODULE(pyg_cagp_serving, module) {
  module.def("functions", &serving::functions);
}
