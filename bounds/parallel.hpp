// Independent tasks on a fixed set of workers: the one loop behind batches of rows and rounds of parts.
#pragma once
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace outward {

// Calls task(worker, i) for every i below tasks, each once; worker is below `workers` and never used by two threads at
// a time. Which worker gets which task is left open. The first exception ends the loop and is thrown from here.
template <class Task>
void parallel_for(std::size_t workers, std::size_t tasks, const Task& task) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&](std::size_t worker) {
    try {
      for (std::size_t i = next++; i < tasks; i = next++) task(worker, i);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(guard);
      if (!failure) failure = std::current_exception();
      next = tasks;
    }
  };
  std::vector<std::thread> pool;
  for (std::size_t w = 1; w < workers && w < tasks; ++w) pool.emplace_back(work, w);
  work(0);
  for (std::thread& t : pool) t.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace outward
