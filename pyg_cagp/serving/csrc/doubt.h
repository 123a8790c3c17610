// The doubt about a triple, read from a table.

#pragma once

#include <ATen/ATen.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "triples.h"

namespace serving {

struct Table {
  at::Tensor cells;  // One bit a cell in rows of whole bytes, or one float.
  std::optional<at::Tensor> head_own, tail_own;  // One float an entity.
  float weight;
  bool larger;
  uint64_t num_relations, columns, stride;
};

struct Bits {
  const uint8_t* cells;
  IN_LINE void prepare(uint64_t row, uint64_t column) const {
    ask_for(cells, row + column / 8);
  }
  float operator()(uint64_t row, uint64_t column) const {
    return (cells[row + column / 8] >> (column % 8)) & 1;
  }
};

struct Floats {
  const float* cells;
  IN_LINE void prepare(uint64_t row, uint64_t column) const {
    ask_for(cells, row + column);
  }
  float operator()(uint64_t row, uint64_t column) const {
    return cells[row + column];
  }
};

struct Nothing {
  IN_LINE void prepare(uint64_t, uint64_t) const {}
  float operator()(uint64_t, uint64_t) const { return 0; }
};

struct Sum {
  const float *head, *tail;
  IN_LINE void prepare(uint64_t h, uint64_t t) const {
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
struct Doubt {
  Cells cells;
  Own own;
  Columns columns;
  uint64_t stride;
  float weight;

  IN_LINE void prepare(uint64_t h, uint64_t r, uint64_t t) const {
    cells.prepare(h * stride, columns.head(r));
    cells.prepare(t * stride, columns.tail(r));
    own.prepare(h, t);
  }
  float operator()(uint64_t h, uint64_t r, uint64_t t) const {
    const bool inverse = r >= columns.num_relations;
    return weight * (cells(h * stride, columns.head(r)) +
                     cells(t * stride, columns.tail(r))) +
           own(inverse ? t : h, inverse ? h : t);
  }
};

template <class Cells, class Do>
void with_doubt(const Table& table, Cells cells, Do&& then) {
  const Columns columns{table.columns, table.num_relations};
  const auto with = [&](auto own) {
    then(Doubt<Cells, decltype(own)>{cells, own, columns, table.stride,
                                     table.weight});
  };
  if (!table.head_own) return with(Nothing{});
  const Sum sum{table.head_own->const_data_ptr<float>(),
                table.tail_own->const_data_ptr<float>()};
  if (table.larger) return with(Larger{sum});
  with(sum);
}

// Calls a function with what finds the doubts of a table.
template <class Do>
void with_doubt(const Table& table, Do&& then) {
  if (table.cells.scalar_type() == at::kByte) {
    with_doubt(table, Bits{table.cells.const_data_ptr<uint8_t>()}, then);
  } else {
    with_doubt(table, Floats{table.cells.const_data_ptr<float>()}, then);
  }
}

}  // namespace serving
