#pragma once

#include <atomic>

namespace procscope {

/// Descriptors that one owner may keep open from look to look.
class Budget {
 public:
  explicit Budget(int most) : most_(most) {}
  ~Budget() = default;
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  [[nodiscard]] int most() const { return most_; }
  [[nodiscard]] int taken() const { return taken_.load(std::memory_order_relaxed); }

 private:
  friend class Share;

  const int most_;
  std::atomic<int> taken_{0};
};

/// One descriptor of a budget, given back when its owner goes. The budget outlives it.
class Share {
 public:
  Share() = default;
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() {
    if (budget_ != nullptr) {
      budget_->taken_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  /// False when all is taken.
  bool take(Budget& budget) {
    if (budget.taken_.fetch_add(1, std::memory_order_relaxed) >= budget.most_) {
      budget.taken_.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
    budget_ = &budget;
    return true;
  }

  /// For what is open whether there is room or not.
  void take_anyway(Budget& budget) {
    budget.taken_.fetch_add(1, std::memory_order_relaxed);
    budget_ = &budget;
  }

 private:
  Budget* budget_ = nullptr;
};

}  // namespace procscope
