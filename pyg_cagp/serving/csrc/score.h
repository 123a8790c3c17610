// The score of a triple, from the embeddings of a model.
//
// PyTorch copies three embeddings of each triple before it multiplies them.
// Here they are read where they are.

#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "triples.h"

namespace serving {

// The weights of a model. They are its own: others may give it new ones while
// these are read, so the memory is held on to.
struct Embeddings {
  c10::Storage node_memory, rel_memory;
  const float *node, *rel;
  int64_t width;
  bool is_complex;  // ComplEx, and DistMult if not.
};

inline bool is_readable(const at::Tensor& weight, uint64_t size) {
  return weight.is_cpu() && weight.scalar_type() == at::kFloat &&
         !weight.is_neg() && weight.dim() == 2 && weight.is_contiguous() &&
         static_cast<uint64_t>(weight.size(0)) == size;
}

inline Embeddings embeddings_of(const at::Tensor& node, const at::Tensor& rel,
                                bool is_complex, Limits limits) {
  TORCH_CHECK(is_readable(node, limits.num_nodes) &&
                  is_readable(rel, limits.num_ids) &&
                  node.size(1) == rel.size(1) &&
                  (!is_complex || node.size(1) % 2 == 0),
              "these are not the embeddings of such a model");
  return {node.storage(), rel.storage(), node.const_data_ptr<float>(),
          rel.const_data_ptr<float>(), node.size(1), is_complex};
}

struct Rows {
  const float *node, *rel;
  int64_t width;

  IN_LINE void prepare(uint64_t h, uint64_t, uint64_t t) const {
    constexpr int64_t LINE = 64 / sizeof(float);
    for (int64_t at = 0; at < width; at += LINE) {
      ask_for(node, h * width + at);
      ask_for(node, t * width + at);
    }
  }
};

// Sums a term over dimensions: a compiler may not change the order of a sum of
// floats, so there are as many sums as fit into registers.
template <class Term>
float sum(int64_t size, Term term) {
  constexpr int64_t LANES = 16;
  float lanes[LANES] = {};
  int64_t j = 0;
  for (; j + LANES <= size; j += LANES) {
    for (int64_t k = 0; k < LANES; ++k) lanes[k] += term(j + k);
  }
  float total = 0;
  for (; j < size; ++j) total += term(j);
  for (const float lane : lanes) total += lane;
  return total;
}

struct DistMult : Rows {
  float operator()(uint64_t h, uint64_t r, uint64_t t) const {
    const float *a = node + h * width, *b = rel + r * width,
                *c = node + t * width;
    return sum(width, [=](int64_t j) { return a[j] * b[j] * c[j]; });
  }
};

struct ComplEx : Rows {
  float operator()(uint64_t h, uint64_t r, uint64_t t) const {
    const int64_t half = width / 2;  // Imaginary parts stand behind real ones.
    const float *a = node + h * width, *b = rel + r * width,
                *c = node + t * width;
    const float *ai = a + half, *bi = b + half, *ci = c + half;
    return sum(half, [=](int64_t j) {
      return (a[j] * b[j] - ai[j] * bi[j]) * c[j] +
             (a[j] * bi[j] + ai[j] * b[j]) * ci[j];
    });
  }
};

// Calls a function with what finds scores.
template <class Do>
void with_score(const Embeddings& embeddings, Do&& then) {
  const Rows rows{embeddings.node, embeddings.rel, embeddings.width};
  if (embeddings.is_complex) return then(ComplEx{rows});
  then(DistMult{rows});
}

}  // namespace serving
