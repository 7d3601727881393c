// The kernel side of a FUSE file system with one read-only file, `file`, which is the maker's own
// program. Protocol: linux/fuse.h. All timeouts are 0, so every stat asks the daemon.
#ifndef FUSEPROTO_H
#define FUSEPROTO_H

#include <fcntl.h>
#include <linux/fuse.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "maker.h"

enum { file_node = 2, most_written = 4096, most_read = 1 << 17 };

static int program_file(void) {
  static int fd = -1;
  if (fd < 0) fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail("/proc/self/exe");
  return fd;
}

static struct fuse_attr attributes(uint64_t node) {
  struct stat facts;
  if (fstat(program_file(), &facts) != 0) fail("/proc/self/exe");
  const int is_file = node == file_node;
  return (struct fuse_attr){
      .ino = node,
      .size = is_file ? (uint64_t)facts.st_size : 0,
      .blocks = is_file ? (uint64_t)facts.st_blocks : 0,
      .mode = is_file ? S_IFREG | 0755 : S_IFDIR | 0755,
      .nlink = is_file ? 1 : 2,
      .blksize = 4096,
  };
}

// An error is a negative errno, without data.
static void reply(int fuse, uint64_t unique, int error, const void* data, size_t length) {
  const struct fuse_out_header header = {
      .len = (uint32_t)(sizeof header + length), .error = error, .unique = unique};
  const struct iovec parts[] = {{(void*)&header, sizeof header}, {(void*)data, length}};
  // ENOENT: whoever asked was killed and waits no longer.
  if (writev(fuse, parts, length ? 2 : 1) < 0 && errno != ENOENT) fail("reply to FUSE");
}

static void reply_init(int fuse, uint64_t unique, const struct fuse_init_in* in) {
  const struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
                                    .minor = FUSE_KERNEL_MINOR_VERSION,
                                    .max_readahead = in->max_readahead,
                                    .max_write = most_written};
  reply(fuse, unique, 0, &out, sizeof out);
}

static void reply_lookup(int fuse, uint64_t unique, const char* name) {
  if (strcmp(name, "file") != 0) {
    reply(fuse, unique, -ENOENT, NULL, 0);
    return;
  }
  const struct fuse_entry_out out = {.nodeid = file_node, .attr = attributes(file_node)};
  reply(fuse, unique, 0, &out, sizeof out);
}

static void reply_read(int fuse, uint64_t unique, const struct fuse_read_in* in) {
  static char bytes[most_read];
  const size_t wanted = in->size < most_read ? in->size : most_read;
  const ssize_t n = pread(program_file(), bytes, wanted, (off_t)in->offset);
  if (n < 0) {
    reply(fuse, unique, -errno, NULL, 0);
  } else {
    reply(fuse, unique, 0, bytes, (size_t)n);
  }
}

static void reply_directory(int fuse, uint64_t unique, const struct fuse_read_in* in) {
  static const char name[] = "file";
  const struct fuse_dirent entry = {
      .ino = file_node, .off = 1, .namelen = sizeof name - 1, .type = S_IFREG >> 12};
  // The name follows the fixed part, and NULs up to the next multiple of 8 bytes.
  char out[FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + sizeof name - 1)] = {0};
  memcpy(out, &entry, FUSE_NAME_OFFSET);
  memcpy(out + FUSE_NAME_OFFSET, name, sizeof name - 1);
  reply(fuse, unique, 0, out, in->offset == 0 ? sizeof out : 0);
}

// Set: whoever closes a file asks the daemon first.
static int asks_to_flush;

// Reads one request and answers it.
static void answer_request(int fuse) {
  static union {
    struct fuse_in_header header;
    char bytes[FUSE_MIN_READ_BUFFER + most_written];
  } request;
  if (read(fuse, &request, sizeof request) < 0) {
    // ENOENT and EINTR: the request was withdrawn before it was read.
    if (errno == ENOENT || errno == EINTR || errno == EAGAIN) return;
    fail("read of FUSE requests");
  }
  const uint64_t unique = request.header.unique;
  const void* const body = request.bytes + sizeof request.header;
  const struct fuse_attr_out attr = {.attr = attributes(request.header.nodeid)};
  // NOFLUSH: the end of a process closes its files, and must not ask a daemon that is silent.
  const struct fuse_open_out opened = {.open_flags =
                                           (asks_to_flush ? 0 : FOPEN_NOFLUSH) | FOPEN_KEEP_CACHE};
  switch (request.header.opcode) {
    case FUSE_INIT:
      reply_init(fuse, unique, body);
      break;
    case FUSE_LOOKUP:
      reply_lookup(fuse, unique, body);
      break;
    case FUSE_GETATTR:
      reply(fuse, unique, 0, &attr, sizeof attr);
      break;
    case FUSE_OPEN:
    case FUSE_OPENDIR:
      reply(fuse, unique, 0, &opened, sizeof opened);
      break;
    case FUSE_READ:
      reply_read(fuse, unique, body);
      break;
    case FUSE_READDIR:
      reply_directory(fuse, unique, body);
      break;
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
      reply(fuse, unique, 0, NULL, 0);
      break;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
      break;  // these have no answer
    default:
      reply(fuse, unique, -ENOSYS, NULL, 0);
      break;
  }
}

#endif
