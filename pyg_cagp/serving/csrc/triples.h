// What is done for many triples, one after another.

#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>

// What only asks for memory computes nothing, so GCC leaves out calls of it
// that it has not put in line before it notices.
#if defined(__GNUC__)
#define IN_LINE inline __attribute__((always_inline))
#else
#define IN_LINE inline
#endif

namespace serving {

struct Triples {
  const int64_t *head, *rel, *tail;
  int64_t size;

  Triples part(int64_t begin, int64_t length) const {
    return {head + begin, rel + begin, tail + begin, length};
  }
};

// Ids from these numbers on are unknown.
struct Limits {
  uint64_t num_nodes, num_ids;
};

// An id that nobody has checked yet may lead anywhere; asking is harmless, and
// a number may be any address, as a pointer may not.
template <class T>
IN_LINE void ask_for(const T* numbers, uint64_t place) {
#if defined(__GNUC__)
  const auto address = reinterpret_cast<uintptr_t>(numbers) + sizeof(T) * place;
  __builtin_prefetch(reinterpret_cast<const void*>(address));
#endif
}

// A number that is found for each triple, and where it is written.
template <class Find>
struct Column {
  Find find;
  float* out;

  Column from(int64_t begin) const { return {find, out + begin}; }
};

// What a triple needs is asked for `ahead` triples before it is read: little of
// it is still in the cache.
template <class... Find>
void fill(Limits limits, Triples triples, int64_t ahead,
          Column<Find>... columns) {
  for (int64_t i = 0; i < triples.size; ++i) {
    const int64_t next = std::min(i + ahead, triples.size - 1);
    (columns.find.prepare(triples.head[next], triples.rel[next],
                          triples.tail[next]),
     ...);
    const uint64_t h = triples.head[i], r = triples.rel[i],
                   t = triples.tail[i];
    // As an unsigned number, one below zero is too large as well.
    TORCH_CHECK_INDEX(h < limits.num_nodes && t < limits.num_nodes &&
                          r < limits.num_ids,
                      "an id is out of range");
    ((columns.out[i] = columns.find(h, r, t)), ...);
  }
}

}  // namespace serving
