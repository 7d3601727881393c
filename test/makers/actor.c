// actor: children that do what they are told, and a parent that takes note of their end only when
// it is told. Commands: `fork` (answer: fork PID), `end PID` (it has ended, and is a zombie),
// `reap PID` (the zombie is gone), `stop PID`, `go PID`, `name PID NAME` (at most 15 bytes),
// `exec PID PATH` (runs another program, with 600 as its only argument), `takeover PID PATH` (the
// same by a second thread, which becomes the process).
// ready PID
#include "maker.h"

#include <fcntl.h>
#include <pthread.h>

#define MOST 64

struct child {
  pid_t pid;
  int orders;
  int answers;
};

static struct child children[MOST];

static struct child* find(pid_t pid) {
  for (int i = 0; i < MOST; i++)
    if (children[i].pid == pid) return &children[i];
  refuse("no child %d", (int)pid);
}

static void* run(void* path) {
  execl(path, path, "600", (char*)NULL);
  _exit(127);
}

// A child reads one order a line. The answer to `exec` is that the descriptor closes.
static void act(int orders, int answers) {
  FILE* in = fdopen(orders, "r");
  char line[4096];
  while (fgets(line, sizeof line, in) != NULL) {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "name ", 5) == 0) {
      prctl(PR_SET_NAME, line + 5);
      if (write(answers, "x", 1) != 1) _exit(1);
    } else if (strncmp(line, "exec ", 5) == 0) {
      run(line + 5);
    } else if (strncmp(line, "takeover ", 9) == 0) {
      pthread_t thread;
      if (pthread_create(&thread, NULL, run, line + 9) != 0) _exit(1);
      for (;;) pause();
    } else {
      _exit(0);
    }
  }
  _exit(0);
}

static pid_t start(void) {
  int orders[2], answers[2];
  if (pipe2(orders, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) fail("pipe2");
  struct child* slot = find(0);
  const pid_t pid = fork_child();
  if (pid == 0) {
    close(orders[1]);
    close(answers[0]);
    act(orders[0], answers[1]);
  }
  close(orders[0]);
  close(answers[1]);
  *slot = (struct child){pid, orders[1], answers[0]};
  return pid;
}

static void order(struct child* child, const char* what, const char* with) {
  if (dprintf(child->orders, "%s %s\n", what, with) < 0) fail("write");
  char answer;
  if (read(child->answers, &answer, 1) < 0) fail("read");
}

static void forget(struct child* child) {
  close(child->orders);
  close(child->answers);
  *child = (struct child){0, -1, -1};
}

static void obey(const char* verb, pid_t pid, const char* with) {
  siginfo_t info;
  if (strcmp(verb, "fork") == 0) {
    printf("fork %d\n", (int)start());
    return;
  }
  struct child* child = find(pid);
  if (strcmp(verb, "end") == 0) {
    kill(pid, SIGKILL);
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0) fail("waitid");
  } else if (strcmp(verb, "reap") == 0) {
    if (waitpid(pid, NULL, 0) != pid) fail("waitpid");
    forget(child);
  } else if (strcmp(verb, "stop") == 0) {
    kill(pid, SIGSTOP);
    if (waitid(P_PID, (id_t)pid, &info, WSTOPPED) != 0) fail("waitid");
  } else if (strcmp(verb, "go") == 0) {
    kill(pid, SIGCONT);
    if (waitid(P_PID, (id_t)pid, &info, WCONTINUED) != 0) fail("waitid");
  } else if (strcmp(verb, "name") == 0 || strcmp(verb, "exec") == 0 ||
             strcmp(verb, "takeover") == 0) {
    order(child, verb, with);
  } else {
    refuse("unknown command '%s'", verb);
  }
  printf("%s %d\n", verb, (int)pid);
}

int main(void) {
  die_with_test();
  ready("%d", getpid());
  char line[8192], verb[16], with[4096];
  while (fgets(line, sizeof line, stdin) != NULL) {
    int pid = 0;
    verb[0] = with[0] = 0;
    if (sscanf(line, "%15s %d %4095[^\n]", verb, &pid, with) < 1) refuse("no command");
    obey(verb, pid, with);
    fflush(stdout);
  }
  for (int i = 0; i < MOST; i++)
    if (children[i].pid > 0) end_child(children[i].pid);
  return 0;
}
