#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace procscope {

/// A cursor over bytes. Every step says whether it could be made; nothing is read past the end.
class Scan {
 public:
  explicit Scan(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

  /// Skips blanks and tabs; a newline ends a record and is not skipped.
  void skip_blanks() {
    size_t n = 0;
    while (n < rest_.size() && (rest_[n] == ' ' || rest_[n] == '\t')) {
      ++n;
    }
    rest_.remove_prefix(n);
  }

  bool skip(std::string_view expected) {
    if (!rest_.starts_with(expected)) {
      return false;
    }
    rest_.remove_prefix(expected.size());
    return true;
  }

  /// Bytes up to `stop` (which is consumed), or all that is left.
  std::string_view until(char stop) {
    const size_t at = rest_.find(stop);
    const std::string_view taken = rest_.substr(0, at);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + 1);
    return taken;
  }

  std::string_view line() { return until('\n'); }

  /// Bytes up to the next blank, tab or newline, after leading blanks.
  std::string_view word() {
    skip_blanks();
    size_t n = 0;
    while (n < rest_.size() && rest_[n] != ' ' && rest_[n] != '\t' && rest_[n] != '\n') {
      ++n;
    }
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }

  /// A number that fills a whole word and fits `T`.
  template <typename T>
  std::optional<T> number(int base = 10) {
    const std::string_view digits = word();
    T value{};
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
      return std::nullopt;
    }
    return value;
  }

 private:
  std::string_view rest_;
};

/// The whole of `digits` as a number that fits `T`, else nothing.
template <typename T>
std::optional<T> whole_number(std::string_view digits, int base = 10) {
  T value{};
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace procscope
