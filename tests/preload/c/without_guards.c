// Starts a program on a kernel that refuses all that a guard could be made of: without_guards PROGRAM [ARGUMENT…]

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE(number) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

enum { k_new_userfaultfd = 0xAA00 };  // USERFAULTFD_IOC_NEW, of /dev/userfaultfd

int main(int argc, char** argv) {
  // pwrite() is how closed pages would be filled; nothing else here needs it.
  struct sock_filter filter[] = {
      LOAD(nr),
      REFUSE(SYS_userfaultfd),
      REFUSE(SYS_pkey_alloc),
      REFUSE(SYS_pwrite64),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
      LOAD(args[1]),
      REFUSE(k_new_userfaultfd),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (argc < 2) return 2;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("seccomp");
    return 77;
  }
  execv(argv[1], argv + 1);
  perror(argv[1]);
  return 126;
}
