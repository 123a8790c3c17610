// Doubts, scores, or both, of all triples of a call.

#pragma once

#include <ATen/ATen.h>
#include <ATen/TensorIterator.h>
#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "doubt.h"
#include "score.h"
#include "triples.h"

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace serving {

// Python's lock is given back for longer work than reading this many doubts, or
// this many numbers of embeddings.
constexpr int64_t MANY_DOUBTS = 32768, MANY_NUMBERS = 131072;

// How many triples ahead cells are asked for, and embeddings, which take longer
// to read.
constexpr int64_t CELLS_AHEAD = 32, EMBEDDINGS_AHEAD = 8;

// How many triples are worth a thread, if they are scored.
constexpr int64_t GRAIN = 256;

// What doubts are read from, and which ids are known.
struct Source {
  Limits limits;
  Table table;
};

// The ids of a call, in memory one after another.
struct Ids {
  at::Tensor head, rel, tail;
  Triples triples;
};

class Unlocked {
  std::optional<py::gil_scoped_release> others_may_run;

 public:
  explicit Unlocked(bool is_long) {
    if (is_long) others_may_run.emplace();
  }
};

// PyTorch's threads do not live on in a process that was forked, and whoever
// waits for them there waits for ever.
inline bool has_threads() {
#if defined(__unix__) || defined(__APPLE__)
  static const pid_t home = getpid();
  return getpid() == home;
#else
  return true;
#endif
}

inline at::Tensor doubts_of(const Source& source, const Ids& ids) {
  at::Tensor doubts = at::empty(ids.head.sizes(), at::kFloat);
  float* out = doubts.mutable_data_ptr<float>();
  const Unlocked unlocked(ids.triples.size > MANY_DOUBTS);
  with_doubt(source.table, [&](auto doubt) {
    fill(source.limits, ids.triples, CELLS_AHEAD,
         Column<decltype(doubt)>{doubt, out});
  });
  return doubts;
}

// Fills columns with all of PyTorch's threads. An iterator over what is written
// has them do it; they cannot be had by a program with an OpenMP of its own.
template <class... Find>
void fill_by_threads(const Source& source, const Ids& ids, at::Tensor& written,
                     Column<Find>... columns) {
  const float* base = written.const_data_ptr<float>();
  const auto fill_part = [&](int64_t begin, int64_t length) {
    fill(source.limits, ids.triples.part(begin, length), EMBEDDINGS_AHEAD,
         columns.from(begin)...);
  };
  if (!has_threads()) return fill_part(0, ids.triples.size);
  auto all = at::TensorIterator::borrowing_nullary_op(written);
  all.for_each(
      [&](char** data, const int64_t*, int64_t length) {
        fill_part(reinterpret_cast<float*>(data[0]) - base, length);
      },
      GRAIN);
}

inline bool is_long(const Ids& ids, const Embeddings& embeddings) {
  const int64_t width = std::max<int64_t>(1, embeddings.width);
  return ids.triples.size > MANY_NUMBERS / width;
}

inline at::Tensor scores_of(const Source& source, const Ids& ids,
                            const Embeddings& embeddings) {
  at::Tensor scores = at::empty(ids.head.sizes(), at::kFloat);
  float* out = scores.mutable_data_ptr<float>();
  const Unlocked unlocked(is_long(ids, embeddings));
  with_score(embeddings, [&](auto score) {
    fill_by_threads(source, ids, scores, Column<decltype(score)>{score, out});
  });
  return scores;
}

inline std::pair<at::Tensor, at::Tensor> both_of(
    const Source& source, const Ids& ids, const Embeddings& embeddings) {
  at::Tensor scores = at::empty(ids.head.sizes(), at::kFloat);
  at::Tensor doubts = at::empty(ids.head.sizes(), at::kFloat);
  float* score_out = scores.mutable_data_ptr<float>();
  float* doubt_out = doubts.mutable_data_ptr<float>();
  const Unlocked unlocked(is_long(ids, embeddings));
  with_score(embeddings, [&](auto score) {
    with_doubt(source.table, [&](auto doubt) {
      fill_by_threads(source, ids, scores,
                      Column<decltype(score)>{score, score_out},
                      Column<decltype(doubt)>{doubt, doubt_out});
    });
  });
  return {std::move(scores), std::move(doubts)};
}

}  // namespace serving
