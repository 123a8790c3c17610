// Doubts and scores of triples, each found in one call.
//
// A small model scores a batch in a time in which some twenty calls of PyTorch
// are made, so a handful more would show. Hence these functions are called
// without what wraps such functions otherwise: neither pybind11 nor PyTorch's
// dispatcher stands between Python and the loop. Where the dispatcher has more
// to do than to call a function, PyTorch is left to do it: see `is_watched`.

#include <ATen/ATen.h>
#include <ATen/TensorIterator.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "doubt.h"
#include "score.h"
#include "triples.h"

namespace {

// For more triples, Python's lock is given back; for fewer it is not worth it.
constexpr int64_t MANY = 32768;

// How many triples ahead cells are asked for, and embeddings, which take longer
// to read.
constexpr int64_t CELLS_AHEAD = 32, EMBEDDINGS_AHEAD = 8;

// How many triples are worth a thread, if they are scored.
constexpr int64_t GRAIN = 256;

struct Served {
  Limits limits;
  Table table;
  py::function by_pytorch;  // Reads doubts, after checks, or says why not.
  std::optional<Model> model;
};

// The ids of a call, in memory one after another.
struct Ids {
  at::Tensor head, rel, tail;
  Triples triples;
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

class Unlocked {
  std::optional<py::gil_scoped_release> others_may_run;

 public:
  explicit Unlocked(const Triples& triples) {
    if (triples.size > MANY) others_may_run.emplace();
  }
};

at::Tensor doubts_of(const Served& served, const Ids& ids) {
  at::Tensor doubts = at::empty(ids.head.sizes(), at::kFloat);
  float* out = doubts.mutable_data_ptr<float>();
  const Unlocked unlocked(ids.triples);
  with_doubt(served.table, [&](auto doubt) {
    fill(served.limits, ids.triples, CELLS_AHEAD,
         Column<decltype(doubt)>{doubt, out});
  });
  return doubts;
}

// Fills columns with all of PyTorch's threads. An iterator over what is written
// has them do it; they cannot be had by a program with an OpenMP of its own.
template <class... Find>
void fill_by_threads(const Served& served, const Ids& ids,
                     at::Tensor& written, Column<Find>... columns) {
  const float* base = written.const_data_ptr<float>();
  auto all = at::TensorIterator::borrowing_nullary_op(written);
  all.for_each(
      [&](char** data, const int64_t*, int64_t length) {
        const int64_t begin = reinterpret_cast<float*>(data[0]) - base;
        fill(served.limits, ids.triples.part(begin, length), EMBEDDINGS_AHEAD,
             columns.from(begin)...);
      },
      GRAIN);
}

at::Tensor scores_of(const Served& served, const Ids& ids) {
  at::Tensor scores = at::empty(ids.head.sizes(), at::kFloat);
  float* out = scores.mutable_data_ptr<float>();
  const Unlocked unlocked(ids.triples);
  with_score(*served.model, [&](auto score) {
    fill_by_threads(served, ids, scores, Column<decltype(score)>{score, out});
  });
  return scores;
}

std::pair<at::Tensor, at::Tensor> both_of(const Served& served,
                                          const Ids& ids) {
  at::Tensor scores = at::empty(ids.head.sizes(), at::kFloat);
  at::Tensor doubts = at::empty(ids.head.sizes(), at::kFloat);
  float* score_out = scores.mutable_data_ptr<float>();
  float* doubt_out = doubts.mutable_data_ptr<float>();
  const Unlocked unlocked(ids.triples);
  with_score(*served.model, [&](auto score) {
    with_doubt(served.table, [&](auto doubt) {
      fill_by_threads(served, ids, scores,
                      Column<decltype(score)>{score, score_out},
                      Column<decltype(doubt)>{doubt, doubt_out});
    });
  });
  return {std::move(scores), std::move(doubts)};
}

// Whether somebody must see what is done: a tracer, a mode such as that of
// make_fx, a transform such as vmap, or a subclass of tensors.
bool is_watched(PyObject* const* args) {
  using c10::DispatchKey;
  constexpr c10::DispatchKeySet watchers{
      DispatchKey::Tracer,
      DispatchKey::Python,
      DispatchKey::PythonTLSSnapshot,
      DispatchKey::Functionalize,
      DispatchKey::FuncTorchBatched,
      DispatchKey::FuncTorchGradWrapper,
      DispatchKey::FuncTorchDynamicLayerFrontMode};
  if (c10::impl::tls_local_dispatch_key_set().included_.has_any(watchers)) {
    return true;
  }
  return std::any_of(args, args + 3, [&](PyObject* given) {
    return THPVariable_Unpack(given).key_set().has_any(watchers);
  });
}

bool are_plain_tensors(PyObject* const* args, Py_ssize_t num_args) {
  const auto is_tensor = [](PyObject* given) {
    return THPVariable_Check(given);
  };
  return num_args == 3 && std::all_of(args, args + 3, is_tensor) &&
         !is_watched(args);
}

bool can_score(const Served& served) {
  const Model& model = *served.model;
  const bool learns =
      at::GradMode::is_enabled() &&
      (model.node.requires_grad() || model.rel.requires_grad());
  return !learns && model.is_readable(served.limits);
}

const Served& served_by(PyObject* self) {
  return *static_cast<Served*>(PyCapsule_GetPointer(self, nullptr));
}

PyObject* doubt(PyObject* self, PyObject* const* args, Py_ssize_t num_args,
                PyObject* names) {
  HANDLE_TH_ERRORS
  const Served& served = served_by(self);
  if (names == nullptr && are_plain_tensors(args, num_args)) {
    try {
      return THPVariable_Wrap(doubts_of(served, all_ids(args)));
    } catch (const c10::Error&) {
      // PyTorch's reader finds the same and says it better.
    }
  }
  return PyObject_Vectorcall(served.by_pytorch.ptr(), args, num_args, names);
  END_HANDLE_TH_ERRORS
}

// Calls a function if it may be called; returns None if not, and if it finds
// something wrong.
template <class Find>
PyObject* if_possible(PyObject* self, PyObject* const* args,
                      Py_ssize_t num_args, Find find) {
  HANDLE_TH_ERRORS
  const Served& served = served_by(self);
  if (are_plain_tensors(args, num_args) && can_score(served)) {
    try {
      return find(served, all_ids(args));
    } catch (const c10::Error&) {
      // The model finds the same.
    }
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* score(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  return if_possible(
      self, args, num_args, [](const Served& served, const Ids& ids) {
        return THPVariable_Wrap(scores_of(served, ids));
      });
}

PyObject* both(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  return if_possible(
      self, args, num_args, [](const Served& served, const Ids& ids) {
        auto [scores, doubts] = both_of(served, ids);
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

// Returns functions that find doubts, scores, and both; without a model, there
// are no scores, and the last two are None.
py::tuple functions(at::Tensor cells, std::optional<at::Tensor> head_own,
                    std::optional<at::Tensor> tail_own, double weight,
                    bool larger, int64_t num_relations, int64_t num_ids,
                    int64_t columns, py::function by_pytorch,
                    std::optional<std::pair<at::Tensor, at::Tensor>> weights,
                    bool is_complex) {
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
  auto served = std::make_unique<Served>(Served{
      {size(num_nodes), size(num_ids)},
      {std::move(cells), std::move(head_own), std::move(tail_own),
       static_cast<float>(weight), larger, size(num_relations), size(columns),
       size(stride)},
      std::move(by_pytorch),
      std::nullopt});
  if (weights) served->model = Model{is_complex, weights->first, weights->second};
  auto capsule = py::reinterpret_steal<py::object>(
      PyCapsule_New(served.get(), nullptr, forget));
  if (!capsule) throw py::error_already_set();
  served.release();  // It is the capsule's now.
  const py::object none = py::none();
  return py::make_tuple(function(DOUBT, capsule),
                        weights ? function(SCORE, capsule) : none,
                        weights ? function(BOTH, capsule) : none);
}

}  // namespace

PYBIND11_MODULE(pyg_cagp_serving, module) {
  module.def("functions", &functions);
}
