// Doubts of triples, read from a table in one call.
//
// A small model scores 2,048 triples in less than 0.2 ms, a time in which some
// twenty calls of PyTorch are made. Reading doubts by PyTorch takes a third of
// it, of which the reading itself is the smaller part. So `read` is called
// without what wraps such functions otherwise: neither pybind11 nor PyTorch's
// dispatcher stands between Python and the loop.

#include <ATen/Parallel.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace {

// Fewer triples are read by the thread that asks, and it keeps Python's lock:
// others would start too late.
constexpr int64_t GRAIN = 32768;

// A cell is asked for this many triples before it is read. The model has just
// been through its embeddings, so few cells are still in the cache.
constexpr int64_t AHEAD = 32;

// An id that nobody has checked yet may lead anywhere; asking is harmless, and
// a number may be any address, as a pointer may not.
inline void ask_for(uintptr_t address) {
#if defined(__GNUC__)
  __builtin_prefetch(reinterpret_cast<const void*>(address));
#endif
}

struct Table {
  at::Tensor cells;  // One bit a cell in rows of whole bytes, or one float.
  std::optional<at::Tensor> head_own, tail_own;  // One float an entity.
  float weight;
  bool larger;
  uint64_t num_nodes, num_relations, num_ids, columns, stride;
  py::function refuse;  // Called with ids that cannot be read, to say why.
};

struct Bits {
  const uint8_t* cells;
  uintptr_t address(uint64_t row, uint64_t column) const {
    return reinterpret_cast<uintptr_t>(cells) + row + column / 8;
  }
  float operator()(uint64_t row, uint64_t column) const {
    return (cells[row + column / 8] >> (column % 8)) & 1;
  }
};

struct Floats {
  const float* cells;
  uintptr_t address(uint64_t row, uint64_t column) const {
    return reinterpret_cast<uintptr_t>(cells) + sizeof(float) * (row + column);
  }
  float operator()(uint64_t row, uint64_t column) const {
    return cells[row + column];
  }
};

struct Nothing {
  float operator()(uint64_t, uint64_t) const { return 0; }
};

struct Sum {
  const float *head, *tail;
  float operator()(uint64_t h, uint64_t t) const { return head[h] + tail[t]; }
};

struct Larger {
  const float *head, *tail;
  float operator()(uint64_t h, uint64_t t) const {
    return std::max(head[h], tail[t]);
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
  at::parallel_for(0, triples.size, GRAIN, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t next = std::min(i + AHEAD, end - 1);
      // A row is short; wherever its cell is, it is near this one.
      const uint64_t column = columns.head(triples.rel[next]);
      ask_for(cells.address(triples.head[next] * stride, column));
      ask_for(cells.address(triples.tail[next] * stride, column));
      const uint64_t h = triples.head[i], r = triples.rel[i],
                     t = triples.tail[i];
      // As an unsigned number, one below zero is too large as well.
      TORCH_CHECK_INDEX(h < num_nodes && t < num_nodes && r < num_ids,
                        "an id at position ", i, " is out of range");
      const bool inverse = r >= num_relations;
      doubts[i] = weight * (cells(h * stride, columns.head(r)) +
                            cells(t * stride, columns.tail(r))) +
                  own(inverse ? t : h, inverse ? h : t);
    }
  });
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
    fill(table, cells, Larger{head, tail}, triples, doubts);
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
  if (triples.size > GRAIN) others_may_run.emplace();
  if (table.cells.scalar_type() == at::kByte) {
    fill(table, Bits{table.cells.const_data_ptr<uint8_t>()}, triples, out);
  } else {
    fill(table, Floats{table.cells.const_data_ptr<float>()}, triples, out);
  }
  return doubts;
}

at::Tensor ids(PyObject* given) {
  TORCH_CHECK_TYPE(THPVariable_Check(given), "ids must be tensors");
  at::Tensor found = THPVariable_Unpack(given);
  TORCH_CHECK(found.is_cpu(), "ids must be on the CPU");
  if (found.scalar_type() != at::kLong) {
    TORCH_CHECK_TYPE(at::isIntegralType(found.scalar_type(), false),
                     "ids must be integers");
    found = found.to(at::kLong);
  }
  return found.is_contiguous() ? found : found.contiguous();
}

PyObject* read(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  HANDLE_TH_ERRORS
  TORCH_CHECK_TYPE(num_args == 3, "three tensors of ids are needed");
  auto* table = static_cast<Table*>(PyCapsule_GetPointer(self, nullptr));
  try {
    return THPVariable_Wrap(
        doubts_of(*table, ids(args[0]), ids(args[1]), ids(args[2])));
  } catch (const c10::Error&) {
    auto said = py::reinterpret_steal<py::object>(
        PyObject_Vectorcall(table->refuse.ptr(), args, 3, nullptr));
    if (!said) return nullptr;
    throw;
  }
  END_HANDLE_TH_ERRORS
}

PyMethodDef READ = {"read", reinterpret_cast<PyCFunction>(
                                reinterpret_cast<void*>(read)),
                    METH_FASTCALL, "Returns the doubt about each triple."};

void forget(PyObject* capsule) {
  delete static_cast<Table*>(PyCapsule_GetPointer(capsule, nullptr));
}

py::object reader(at::Tensor cells, std::optional<at::Tensor> head_own,
                  std::optional<at::Tensor> tail_own, double weight,
                  bool larger, int64_t num_relations, int64_t num_ids,
                  int64_t columns, py::function refuse) {
  const auto num_nodes = static_cast<uint64_t>(cells.size(0));
  const auto stride = static_cast<uint64_t>(cells.size(1));
  auto table = std::make_unique<Table>(Table{
      std::move(cells), std::move(head_own), std::move(tail_own),
      static_cast<float>(weight), larger, num_nodes,
      static_cast<uint64_t>(num_relations), static_cast<uint64_t>(num_ids),
      static_cast<uint64_t>(columns), stride, std::move(refuse)});
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

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.def("reader", &reader);
}
