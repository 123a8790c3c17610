// Doubts of triples, read from a table in one call.
//
// A small model scores a batch in a time in which some twenty calls of PyTorch
// are made, so a handful more would show. Hence `read` is called without what
// wraps such functions otherwise: neither pybind11 nor PyTorch's dispatcher
// stands between Python and the loop. Where the dispatcher has more to do than
// to call a function, PyTorch is left to read: see `is_watched`.

#include <ATen/ATen.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace {

// More triples are read without Python's lock; for fewer it is not worth it.
constexpr int64_t MANY = 32768;

// A cell is asked for this many triples before it is read. The model has just
// been through its embeddings, so few cells are still in the cache.
constexpr int64_t AHEAD = 32;

// An id that nobody has checked yet may lead anywhere; asking is harmless, and
// a number may be any address, as a pointer may not.
template <class T>
void ask_for(const T* cells, uint64_t place) {
#if defined(__GNUC__)
  const auto address = reinterpret_cast<uintptr_t>(cells) + sizeof(T) * place;
  __builtin_prefetch(reinterpret_cast<const void*>(address));
#endif
}

struct Table {
  at::Tensor cells;  // One bit a cell in rows of whole bytes, or one float.
  std::optional<at::Tensor> head_own, tail_own;  // One float an entity.
  float weight;
  bool larger;
  uint64_t num_nodes, num_relations, num_ids, columns, stride;
  py::function by_pytorch;  // Reads the same, after checks, or says why not.
};

struct Bits {
  const uint8_t* cells;
  void prepare(uint64_t row, uint64_t column) const {
    ask_for(cells, row + column / 8);
  }
  float operator()(uint64_t row, uint64_t column) const {
    return (cells[row + column / 8] >> (column % 8)) & 1;
  }
};

struct Floats {
  const float* cells;
  void prepare(uint64_t row, uint64_t column) const {
    ask_for(cells, row + column);
  }
  float operator()(uint64_t row, uint64_t column) const {
    return cells[row + column];
  }
};

struct Nothing {
  void prepare(uint64_t, uint64_t) const {}
  float operator()(uint64_t, uint64_t) const { return 0; }
};

struct Sum {
  const float *head, *tail;
  void prepare(uint64_t h, uint64_t t) const {
    ask_for(head, h);
    ask_for(tail, t);
  }
  float operator()(uint64_t h, uint64_t t) const { return head[h] + tail[t]; }
};

struct Larger : Sum {
  float operator()(uint64_t h, uint64_t t) const {
    const float a = head[h], b = tail[t];
    return a > b || std::isnan(a) ? a : b;  // As PyTorch: NaN is not lost.
  }
};

struct Triples {
  const int64_t *head, *rel, *tail;
  int64_t size;
};

// Columns are those of heads, then those of tails if roles differ. An inverse
// relation starts beyond its relation, and so finds the other role; behind the
// last column stands the first.
struct Columns {
  uint64_t count, num_relations;
  uint64_t head(uint64_t r) const { return r < count ? r : r - count; }
  uint64_t tail(uint64_t r) const {
    return head(head(r) + count - num_relations);
  }
};

template <class Cells, class Own>
void fill(const Table& table, Cells cells, Own own, Triples triples,
          float* doubts) {
  // Copies, which the compiler knows not to change while doubts are written.
  const Columns columns{table.columns, table.num_relations};
  const uint64_t num_nodes = table.num_nodes, num_ids = table.num_ids;
  const uint64_t num_relations = table.num_relations, stride = table.stride;
  const float weight = table.weight;
  for (int64_t i = 0; i < triples.size; ++i) {
    const int64_t next = std::min(i + AHEAD, triples.size - 1);
    const uint64_t h = triples.head[i], r = triples.rel[i],
                   t = triples.tail[i], soon = triples.rel[next];
    cells.prepare(triples.head[next] * stride, columns.head(soon));
    cells.prepare(triples.tail[next] * stride, columns.tail(soon));
    own.prepare(triples.head[next], triples.tail[next]);
    // As an unsigned number, one below zero is too large as well.
    TORCH_CHECK_INDEX(h < num_nodes && t < num_nodes && r < num_ids,
                      "an id at position ", i, " is out of range");
    const bool inverse = r >= num_relations;
    doubts[i] = weight * (cells(h * stride, columns.head(r)) +
                          cells(t * stride, columns.tail(r))) +
                own(inverse ? t : h, inverse ? h : t);
  }
}

template <class Cells>
void fill(const Table& table, Cells cells, Triples triples, float* doubts) {
  if (!table.head_own) {
    fill(table, cells, Nothing{}, triples, doubts);
    return;
  }
  const float* head = table.head_own->const_data_ptr<float>();
  const float* tail = table.tail_own->const_data_ptr<float>();
  if (table.larger) {
    fill(table, cells, Larger{{head, tail}}, triples, doubts);
  } else {
    fill(table, cells, Sum{head, tail}, triples, doubts);
  }
}

at::Tensor doubts_of(const Table& table, const at::Tensor& head,
                     const at::Tensor& rel, const at::Tensor& tail) {
  TORCH_CHECK(head.sizes() == rel.sizes() && head.sizes() == tail.sizes(),
              "ids must be of the same shape");
  at::Tensor doubts = at::empty(head.sizes(), at::kFloat);
  const Triples triples{
      head.const_data_ptr<int64_t>(), rel.const_data_ptr<int64_t>(),
      tail.const_data_ptr<int64_t>(), head.numel()};
  float* out = doubts.mutable_data_ptr<float>();
  std::optional<py::gil_scoped_release> others_may_run;
  if (triples.size > MANY) others_may_run.emplace();
  if (table.cells.scalar_type() == at::kByte) {
    fill(table, Bits{table.cells.const_data_ptr<uint8_t>()}, triples, out);
  } else {
    fill(table, Floats{table.cells.const_data_ptr<float>()}, triples, out);
  }
  return doubts;
}

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

// Whether somebody must see what is read: a tracer, a mode such as that of
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

bool are_tensors(PyObject* const* args, Py_ssize_t num_args) {
  return num_args == 3 && std::all_of(args, args + 3, [](PyObject* given) {
           return THPVariable_Check(given);
         });
}

PyObject* read(PyObject* self, PyObject* const* args, Py_ssize_t num_args,
               PyObject* names) {
  HANDLE_TH_ERRORS
  auto* table = static_cast<Table*>(PyCapsule_GetPointer(self, nullptr));
  if (names == nullptr && are_tensors(args, num_args) && !is_watched(args)) {
    try {
      return THPVariable_Wrap(
          doubts_of(*table, ids(args[0]), ids(args[1]), ids(args[2])));
    } catch (const c10::Error&) {
      // PyTorch's reader finds the same and says it better.
    }
  }
  return PyObject_Vectorcall(table->by_pytorch.ptr(), args, num_args, names);
  END_HANDLE_TH_ERRORS
}

PyMethodDef READ = {"read", reinterpret_cast<PyCFunction>(
                                reinterpret_cast<void*>(read)),
                    METH_FASTCALL | METH_KEYWORDS,
                    "Returns the doubt about each triple."};

void forget(PyObject* capsule) {
  delete static_cast<Table*>(PyCapsule_GetPointer(capsule, nullptr));
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

py::object reader(at::Tensor cells, std::optional<at::Tensor> head_own,
                  std::optional<at::Tensor> tail_own, double weight,
                  bool larger, int64_t num_relations, int64_t num_ids,
                  int64_t columns, py::function by_pytorch) {
  // All that `fill` relies on: it reads memory by these numbers.
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
  auto table = std::make_unique<Table>(Table{
      std::move(cells), std::move(head_own), std::move(tail_own),
      static_cast<float>(weight), larger, size(num_nodes),
      size(num_relations), size(num_ids), size(columns), size(stride),
      std::move(by_pytorch)});
  auto capsule = py::reinterpret_steal<py::object>(
      PyCapsule_New(table.get(), nullptr, forget));
  if (!capsule) throw py::error_already_set();
  table.release();  // It is the capsule's now.
  auto function = py::reinterpret_steal<py::object>(
      PyCFunction_New(&READ, capsule.ptr()));
  if (!function) throw py::error_already_set();
  return function;
}

}  // namespace

PYBIND11_MODULE(pyg_cagp_doubt, module) {
  module.def("reader", &reader);
}
