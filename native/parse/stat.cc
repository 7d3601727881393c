#include "parse/stat.h"

#include "base/scan.h"

namespace procscope {

namespace {

/// Reads numbers in order and remembers whether all were there.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : scan_(bytes) {}

  template <typename T>
  void take(T& into) {
    if (const auto value = scan_.number<T>()) {
      into = *value;
    } else {
      ok_ = false;
    }
  }

  void skip(int count) {
    for (int i = 0; i < count; ++i) {
      ok_ = !scan_.word().empty() && ok_;
    }
  }

  [[nodiscard]] bool ok() const { return ok_; }

 private:
  Scan scan_;
  bool ok_ = true;
};

bool is_state(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

}  // namespace

std::optional<ProcStat> parse_stat(std::string_view bytes) {
  ProcStat stat;
  const size_t open = bytes.find('(');
  // comm may hold any byte, so only the last parenthesis ends it.
  const size_t close = bytes.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
      open < 2) {
    return std::nullopt;
  }
  const auto pid = whole_number<int32_t>(bytes.substr(0, open - 1));
  if (!pid || *pid <= 0 || bytes[open - 1] != ' ') {
    return std::nullopt;
  }
  stat.pid = *pid;
  stat.comm = bytes.substr(open + 1, close - open - 1);

  std::string_view rest = bytes.substr(close + 1);
  if (rest.size() < 3 || rest[0] != ' ' || !is_state(rest[1]) || rest[2] != ' ') {
    return std::nullopt;
  }
  stat.state = rest[1];

  Fields fields(rest.substr(3));
  int32_t tty = 0;
  fields.take(stat.ppid);
  fields.take(stat.pgid);
  fields.take(stat.sid);
  fields.take(tty);
  fields.take(stat.tpgid);
  fields.take(stat.flags);
  fields.take(stat.minor_faults);
  fields.take(stat.waited_minor_faults);
  fields.take(stat.major_faults);
  fields.take(stat.waited_major_faults);
  fields.take(stat.utime);
  fields.take(stat.stime);
  fields.take(stat.waited_utime);
  fields.take(stat.waited_stime);
  fields.take(stat.priority);
  fields.take(stat.nice);
  fields.take(stat.threads);
  fields.skip(1);  // itrealvalue
  fields.take(stat.start);
  fields.take(stat.vsize);
  fields.take(stat.rss);
  stat.tty_device = static_cast<uint32_t>(tty);
  return fields.ok() ? std::optional(stat) : std::nullopt;
}

uint64_t image_of(std::string_view bytes) {
  constexpr int kFlags = 9;
  constexpr int kVsize = 23;
  constexpr int kStartCode = 26;
  constexpr int kStartStack = 28;
  constexpr int kStartData = 45;
  constexpr int kEnvEnd = 51;
  const size_t close = bytes.rfind(')');
  if (close == std::string_view::npos || bytes.size() < close + 3) {
    return 0;
  }
  // FNV-1a, over the digits as they stand.
  uint64_t digest = 0xcbf29ce484222325;
  const auto add = [&](std::string_view word) {
    for (const char c : word) {
      digest = (digest ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    }
    digest = (digest ^ ' ') * 0x100000001b3;
  };
  Scan scan(bytes.substr(close + 3));
  std::string_view vsize;
  for (int field = 4; field <= kEnvEnd; ++field) {
    const std::string_view word = scan.word();
    if (field == kFlags) {
      const auto flags = whole_number<uint32_t>(word);
      add(flags && (*flags & kForkedFlag) != 0 ? "forked" : "");
    } else if (field == kVsize) {
      vsize = word;
    } else if ((field >= kStartCode && field <= kStartStack) || field >= kStartData) {
      add(word);
    }
    if (field == kStartStack && word == "0") {
      add(vsize);
    }
  }
  return digest;
}

bool shows_no_arguments(std::string_view bytes) {
  constexpr int kFieldsBetween = 44;  // From ppid (4) up to env_start's neighbour arg_start (48).
  const size_t close = bytes.rfind(')');
  if (close == std::string_view::npos || bytes.size() < close + 3) {
    return false;
  }
  Scan scan(bytes.substr(close + 3));
  for (int i = 0; i < kFieldsBetween; ++i) {
    scan.word();
  }
  const auto arg_start = scan.number<uint64_t>();
  const auto arg_end = scan.number<uint64_t>();
  return arg_start && arg_end && *arg_start != 0 && *arg_start == *arg_end;
}

}  // namespace procscope
