#include "parse/fdinfo.h"

#include "base/scan.h"

namespace procscope {

FdInfo parse_fdinfo(std::string_view bytes) {
  FdInfo info;
  Scan scan(bytes);
  while (!scan.empty()) {
    const std::string_view here = scan.rest();
    Scan line(scan.line());
    if (line.skip("pos:")) {
      info.offset = line.number<uint64_t>();
    } else if (line.skip("flags:")) {
      info.flags = line.number<uint32_t>(8);
    } else if (line.skip("mnt_id:")) {
      info.mount_id = line.number<int32_t>();
    } else if (line.skip("lock:")) {
      line.skip_blanks();
      info.locks.push_back(line.rest());
    } else if (line.skip("ino:")) {
      info.ino = line.number<uint64_t>();
    } else {
      // The kernel prints the general lines and the locks first (seq_show in fs/proc/fd.c).
      info.details = here;
      break;
    }
  }
  return info;
}

}  // namespace procscope
