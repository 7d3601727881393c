// sockets: a process that holds one socket of each kind. Each is a word NAME=FD:INODE, of Internet
// sockets NAME=FD:INODE:PORT (of raw, the protocol). What the machine refuses is `NAME=-`.
//   FOLDER/a socket   unix-listen, with unix-client connected to unix-server
//   FOLDER/dgram      unix-dgram
//   \0maker.PID       unix-abstract, listening
// ready PID folder=FOLDER NAME=...
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "scratch.h"

static char folder[scratch_bytes];

// Both families have the port at the same place.
union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

static union address local_address(int fd) {
  union address address = {0};
  if (getsockname(fd, &address.any, &(socklen_t){sizeof address}) != 0) fail("getsockname");
  return address;
}

static void say(const char* name, int fd) {
  struct stat facts;
  printf(" %s=", name);
  if (fd < 0) putchar('-');
  if (fd < 0 || fstat(fd, &facts) != 0) return;
  printf("%d:%lu", fd, (unsigned long)facts.st_ino);
  const union address at = local_address(fd);
  const int has_port = at.any.sa_family == AF_INET || at.any.sa_family == AF_INET6;
  if (has_port) printf(":%d", ntohs(at.v4.sin_port));
}

static void say_inet(const char* protocol, int family, const char* role, int fd) {
  char name[64];
  snprintf(name, sizeof name, "%s%d-%s", protocol, family == AF_INET ? 4 : 6, role);
  say(name, fd);
}

// Bound to a free port of the loopback address; -1 where the family is not there.
static int inet_socket(int family, int type) {
  const int fd = socket(family, type | SOCK_CLOEXEC, 0);
  union address address = {.any.sa_family = (sa_family_t)family};
  const socklen_t length = family == AF_INET ? sizeof address.v4 : sizeof address.v6;
  if (family == AF_INET) {
    address.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  } else {
    address.v6.sin6_addr = in6addr_loopback;
  }
  return fd >= 0 && bind(fd, &address.any, length) == 0 ? fd : -1;
}

static int connected_to(int target, int family, int type) {
  const int fd = inet_socket(family, type);
  const union address address = local_address(target);
  if (fd < 0 || connect(fd, &address.any, sizeof address) != 0) fail("connect");
  return fd;
}

static void hold_inet(int family) {
  const int listening = inet_socket(family, SOCK_STREAM), bound = inet_socket(family, SOCK_DGRAM);
  if (listening >= 0 && listen(listening, 5) != 0) fail("listen");
  say_inet("tcp", family, "listen", listening);
  if (listening >= 0) {
    say_inet("tcp", family, "client", connected_to(listening, family, SOCK_STREAM));
    say_inet("tcp", family, "server", accept4(listening, NULL, NULL, SOCK_CLOEXEC));
  }
  say_inet("udp", family, "bound", bound);
  if (bound >= 0) say_inet("udp", family, "connected", connected_to(bound, family, SOCK_DGRAM));
  say_inet("tcp", family, "unbound", socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static int unix_socket(int type, const struct sockaddr_un* address, size_t name_length) {
  const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  const size_t length = offsetof(struct sockaddr_un, sun_path) + name_length;
  if (fd < 0 || bind(fd, (const struct sockaddr*)address, (socklen_t)length) != 0) fail("bind");
  if (type == SOCK_STREAM && listen(fd, 5) != 0) fail("listen");
  return fd;
}

static struct sockaddr_un path_address(const char* name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(folder) > 96) refuse("TMPDIR is too long for a socket");
  sprintf(address.sun_path, "%s/%s", folder, name);
  return address;
}

static void say_pair(const char* first, const char* second, int type) {
  int ends[2] = {-1, -1};
  socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends);
  say(first, ends[0]);
  say(second, ends[1]);
}

static void hold_unix(void) {
  const struct sockaddr_un path = path_address("a socket"), dgram = path_address("dgram");
  const int listening = unix_socket(SOCK_STREAM, &path, sizeof path.sun_path);
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(client, (const struct sockaddr*)&path, sizeof path) != 0) fail("connect");
  say("unix-listen", listening);
  say("unix-client", client);
  say("unix-server", accept4(listening, NULL, NULL, SOCK_CLOEXEC));
  struct sockaddr_un abstract = {.sun_family = AF_UNIX};
  const int length = sprintf(abstract.sun_path + 1, "maker.%d", getpid()) + 1;
  say("unix-abstract", unix_socket(SOCK_STREAM, &abstract, (size_t)length));
  say("unix-dgram", unix_socket(SOCK_DGRAM, &dgram, sizeof dgram.sun_path));
  say_pair("seqpacket-a", "seqpacket-b", SOCK_SEQPACKET);
  say_pair("pair-a", "pair-b", SOCK_STREAM);
}

static int vsock_listening(void) {
  const int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const struct sockaddr_vm any = {
      .svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_ANY, .svm_port = VMADDR_PORT_ANY};
  if (fd < 0) return fd;
  return bind(fd, (const struct sockaddr*)&any, sizeof any) == 0 && listen(fd, 1) == 0 ? fd : -1;
}

int main(void) {
  die_with_test();
  const struct cleaner cleaner = scratch_make(NULL, folder);
  printf("ready %d folder=%s", getpid(), folder);
  hold_inet(AF_INET);
  hold_inet(AF_INET6);
  hold_unix();
  say("netlink", socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  say("packet", socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_LOOP)));
  say("raw", socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP));
  say("ping", socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_ICMP));
  say("udplite", socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDPLITE));
  say("mptcp", socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_MPTCP));
  say("alg", socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  say("vsock", vsock_listening());
  putchar('\n');
  if (fflush(stdout) != 0) fail("stdout");
  wait_for_end();
  cleaner_end(&cleaner);
  return 0;
}
