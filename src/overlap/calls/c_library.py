"""Classifies the functions of the C library by how they use memory that has not arrived yet (docs/overlap.md).

Page protection makes threads wait, but the kernel refuses closed memory. So calls that pass memory to the kernel must
wait first. Every function among the C library's dynamic symbols is in HANDS_MEMORY, has a hand-written wrapper in a
file of this folder, or matches THREADS_ALONE; tests/meta/c_library_calls.py checks that.

HANDS_MEMORY has, for each argument:

  -            no memory
  8            the address of this number of bytes
  [1]          the address of as many bytes as the value of argument 1 (the first is 0); [i1]: an int; [1*8], [1x2]: times
               8, times argument 2; [2+8]: plus 8
  upto[2]      the address of as many bytes as the socklen_t to which argument 2 points
  iovec[2]     an array of this number of iovecs, and their memory; remote[4]: if argument 0 is this process
  message      a msghdr; messages[i2]: this number of mmsghdrs
  control      an aiocb
  path, text   a C string; a path refers to a file, which other ranks may have created
  texts        an array of C strings that ends with a null pointer
  any          memory of unknown size
  all          all closed memory
"""

import pathlib
import re

ROWS = """
read                - [2] -
write               - [2] -
pread               - [2] - -
pread64             - [2] - -
pwrite              - [2] - -
pwrite64            - [2] - -
readv               - iovec[i2] -
writev              - iovec[i2] -
preadv              - iovec[i2] - -
preadv64            - iovec[i2] - -
preadv2             - iovec[i2] - - -
preadv64v2          - iovec[i2] - - -
pwritev             - iovec[i2] - -
pwritev64           - iovec[i2] - -
pwritev2            - iovec[i2] - - -
pwritev64v2         - iovec[i2] - - -
vmsplice            - iovec[2] - -
process_vm_readv    - iovec[2] - remote[4] - -
process_vm_writev   - iovec[2] - remote[4] - -
process_madvise     - iovec[2] - - -
__read_chk          - [2] - -
__pread_chk         - [2] - - -
__pread64_chk       - [2] - - -
recv                - [2] - -
recvfrom            - [2] - - upto[5] 4
recvmsg             - message -
recvmmsg            - messages[i2] - - 16
__recv_chk          - [2] - - -
__recvfrom_chk      - [2] - - - upto[6] 4
send                - [2] - -
sendto              - [2] - - [i5] -
sendmsg             - message -
sendmmsg            - messages[i2] - -
fread               [1x2] - - -
fread_unlocked      [1x2] - - -
fwrite              [1x2] - - -
fwrite_unlocked     [1x2] - - -
__fread_chk         [2x3] - - - -
__fread_unlocked_chk [2x3] - - - -
setvbuf             - [3] - -
setbuffer           - [2] -
aio_read            control
aio_read64          control
aio_write           control
aio_write64         control
aio_fsync           - control
aio_fsync64         - control
lio_listio          - all - -
lio_listio64        - all - -
getrandom           [1] - -
getentropy          [1] -
accept              - upto[2] 4
accept4             - upto[2] 4 -
bind                - [i2] -
connect             - [i2] -
getpeername         - upto[2] 4
getsockname         - upto[2] 4
getsockopt          - - - upto[4] 4
setsockopt          - - - [i4] -
socketpair          - - - 8
sendfile            - - 8 -
sendfile64          - - 8 -
splice              - 8 - 8 - -
copy_file_range     - 8 - 8 - -
poll                [1*8] - -
ppoll               [1*8] - 16 8
__poll_chk          [1*8] - - -
__ppoll_chk         [1*8] - 16 8 -
select              - 128 128 128 16
pselect             - 128 128 128 16 8
epoll_ctl           - - - 12
epoll_wait          - [i2*12] - -
epoll_pwait         - [i2*12] - - 8
epoll_pwait2        - [i2*12] - 16 8
eventfd_read        - 8
pipe                8
pipe2               8 -
signalfd            - 8 -
timerfd_gettime     - 32
timerfd_settime     - - 32 32
msgsnd              - [2+8] - -
msgrcv              - [2+8] - - -
msgctl              - - any
semop               - [2*6] -
semtimedop          - [2*6] - 16
semctl              - - - any
shmat               - any -
shmctl              - - any
shmdt               all
mq_open             text - - 64
__mq_open_2         text -
mq_unlink           text
mq_getattr          - 64
mq_setattr          - 64 64
mq_notify           - 64
mq_send             - [2] - -
mq_timedsend        - [2] - - 16
mq_receive          - [2] - 4
mq_timedreceive     - [2] - 4 16
sem_open            text - - -
sem_unlink          text
shm_open            text - -
shm_unlink          text
memfd_create        text -
clock_getres        - 16
clock_gettime       - 16
clock_settime       - 16
clock_adjtime       - 208
clock_nanosleep     - - 16 16
nanosleep           16 16
gettimeofday        16 8
settimeofday        16 8
adjtime             16 16
adjtimex            208
ntp_adjtime         208
time                8
times               32
timespec_get        16 -
timespec_getres     16 -
stime               8
getitimer           - 32
setitimer           - 32 32
timer_create        - 64 8
timer_gettime       - 32
timer_settime       - - 32 32
thrd_sleep          16 16
getcpu              4 4
getgroups           - [i0*4]
__getgroups_chk     - [i0*4] -
setgroups           - [0*4]
getresuid           4 4 4
getresgid           4 4 4
getrlimit           - 16
getrlimit64         - 16
setrlimit           - 16
setrlimit64         - 16
prlimit             - - 16 16
prlimit64           - - 16 16
getrusage           - 144
sched_getparam      - 4
sched_setparam      - 4
sched_setscheduler  - - 4
sched_rr_get_interval - 16
sched_getaffinity   - - [1]
sched_setaffinity   - - [1]
pthread_getaffinity_np - - [1]
pthread_setaffinity_np - - [1]
pthread_getname_np  - [2] -
pthread_setname_np  - text
pthread_getschedparam - 4 4
pthread_setschedparam - - 4
sigaltstack         24 24
sigpending          8
sigsuspend          8
sigtimedwait        8 128 16
sigwait             8 4
sigwaitinfo         8 128
pidfd_send_signal   - - 128 -
wait                4
waitpid             - 4 -
wait3               4 - 144
wait4               - 4 - 144
waitid              - - 128 -
sysinfo             112
uname               390
sethostname         [1] -
setdomainname       [1] -
capget              8 24
capset              8 24
klogctl             - [i2] -
modify_ldt          - [2] -
arch_prctl          - any
prctl               - any any any any
ptrace              - - any any
quotactl            - path - any
fcntl               - - any
fcntl64             - - any
ioctl               - - any
openpty             4 4 any any 8
forkpty             4 any any 8
mincore             [1] - any
munlock             [1] -
mlock               [1] -
mlock2              [1] - -
mlockall            all
msync               [1] - -
posix_madvise       [1] - -
remap_file_pages    [1] - - - -
open                path - -
open64              path - -
__open_2            path -
__open64_2          path -
openat              - path - -
openat64            - path - -
__openat_2          - path -
__openat64_2        - path -
creat               path -
creat64             path -
fopen               path text
fopen64             path text
freopen             path text -
freopen64           path text -
opendir             path
scandir             path - - -
scandir64           path - - -
scandirat           - path - - -
scandirat64         - path - - -
ftw                 path - -
ftw64               path - -
nftw                path - - -
nftw64              path - - -
fts_open            texts - -
fts64_open          texts - -
glob                path - - -
glob64              path - - -
wordexp             path - -
getdents64          - [2] -
getdirentries       - [2] 8
getdirentries64     - [2] 8
access              path -
eaccess             path -
euidaccess          path -
faccessat           - path - -
acct                path
chdir               path
chmod               path -
chown               path - -
chroot              path
fchmodat            - path - -
fchownat            - path - - -
lchmod              path -
lchown              path - -
link                path path
linkat              - path - path -
symlink             text path
symlinkat           text - path
mkdir               path -
mkdirat             - path -
mkdtemp             path
mkfifo              path -
mkfifoat            - path -
mknod               path - -
mknodat             - path - -
__xmknod            - path - -
__xmknodat          - - path - -
mkostemp            path -
mkostemp64          path -
mkostemps           path - -
mkostemps64         path - -
mkstemp             path
mkstemp64           path
mkstemps            path -
mkstemps64          path -
mktemp              path
tempnam             path text
rename              path path
renameat            - path - path
renameat2           - path - path -
remove              path
rmdir               path
unlink              path
unlinkat            - path -
truncate            path -
truncate64          path -
readlink            path [2] -
readlinkat          - path [3] -
__readlink_chk      path [2] - -
__readlinkat_chk    - path [3] - -
realpath            path 1
__realpath_chk      path [2] -
canonicalize_file_name path
getcwd              [1] -
__getcwd_chk        [1] - -
getwd               any
__getwd_chk         [1] -
ttyname_r           - [2] -
__ttyname_r_chk     - [2] - -
ptsname_r           - [2] -
__ptsname_r_chk     - [2] - -
stat                path 144
stat64              path 144
lstat               path 144
lstat64             path 144
fstat               - 144
fstat64             - 144
fstatat             - path 144 -
fstatat64           - path 144 -
__xstat             - path 144
__xstat64           - path 144
__lxstat            - path 144
__lxstat64          - path 144
__fxstat            - - 144
__fxstat64          - - 144
__fxstatat          - - path 144 -
__fxstatat64        - - path 144 -
statx               - path - - 256
statfs              path 120
statfs64            path 120
fstatfs             - 120
fstatfs64           - 120
statvfs             path 112
statvfs64           path 112
ustat               - 32
pathconf            path -
ftok                path -
utime               path 16
utimes              path 32
lutimes             path 32
futimes             - 32
futimesat           - path 32
futimens            - 32
utimensat           - path 32 -
getxattr            path text [3] -
lgetxattr           path text [3] -
fgetxattr           - text [3] -
setxattr            path text [3] - -
lsetxattr           path text [3] - -
fsetxattr           - text [3] - -
listxattr           path [2] -
llistxattr          path [2] -
flistxattr          - [2] -
removexattr         path text
lremovexattr        path text
fremovexattr        - text
inotify_add_watch   - path -
fanotify_mark       - - - - path
name_to_handle_at   - path any 4 -
open_by_handle_at   - any -
open_tree           - path -
move_mount          - path - path -
mount               path path text - any
mount_setattr       - path - any -
fsopen              text -
fspick              - path -
fsconfig            - - text any -
umount              path
umount2             path -
pivot_root          path path
swapon              path -
swapoff             path
uselib              path
revoke              path
init_module         [1] - text
delete_module       text -
system              text
popen               path text
execv               path texts
execve              path texts texts
execveat            - path texts texts -
execvp              path texts
execvpe             path texts texts
fexecve             - texts texts
posix_spawn         4 path - - texts texts
posix_spawnp        4 path - - texts texts
"""

HANDS_MEMORY = {words[0]: words[1:] for words in map(str.split, ROWS.strip().splitlines())}

# System calls by syscall(), with the function that has the same arguments: that of the same name, or another one.
SYSTEM_CALLS = {name: name for name in HANDS_MEMORY if not re.match(
    "f?open64|_|.*64$|fread|fwrite|set?v?buf|aio|lio|scandir|exec(v|vp|vpe)$|fexecve|pthread|posix|sig|ioctl|forkpty|openpty",
    name)}
SYSTEM_CALLS |= {"pread64": "pread", "pwrite64": "pwrite", "newfstatat": "fstatat", "getdents64": "getdents64",
                 "prlimit64": "prlimit64", "rt_sigpending": "sigpending", "rt_sigtimedwait": "sigtimedwait"}

# Functions without wrappers: they access their memory only on the calling thread, which waits; have no memory arguments;
# or pass only memory of the library itself to the kernel. Patterns by families of names.
THREADS_ALONE = re.compile("|".join([
    # internal names of the library, names in older programs only, and functions that compilers call
    r"_IO_\w+|_dl_\w+|_nl_\w+|_nss_\w+|__(?!\w+_chk$|\w*open\w*_2$|\w*x(stat|mknod)\w*$)\w+|_obstack_\w+|_pthread_\w+|_[Eeft]\w+|_Fork"
    r"|_(flushlbf|longjmp|setjmp|mcleanup|mcount|authenticate|rpc_dtablesize|seterr_reply|tolower|toupper)",
    r"__\w*(printf|syslog|str\w*|stp\w*|mem\w*|mbs\w*|mbsnrtowcs|wc\w*|wmem\w*|gets|fgets(_unlocked)?|fgetws(_unlocked)?|longjmp"
    r"|fdelt|confstr|get(login_r|hostname|domainname)|explicit_bzero|chk_fail|obstack_\w+|bzero)_chk|__chk_fail",
    # characters, strings, memory, numbers
    r"(str|stp|wcs|wcp|wmem|mbs|mbr|wcr|isw|tow)\w+|mem(ccpy|chr|cmp|cpy|frob|mem|move|pcpy|rchr|set)|is\w+|(to|_to)(ascii|lower|upper)\w*|(raw|mem)memchr|rawmemchr|[bs]?index|rindex"
    r"|b(cmp|copy|zero|search|towc)|explicit_bzero|(btowc|wct\w+|wcwidth|wc\w+|mb(len|towc)|c(8|16|32)rtomb|ffs\w*|swab)"
    r"|ato[fil]l?|a64l|l64a|l?l?abs|imax(abs|div)|l?l?div|[ef]cvt(_r)?|q?[efg]cvt(_r)?|(copysign|finite|frexp|ldexp|modf|scalbn)[fl]?"
    r"|[deljmn]rand48(_r)?|s?rand(48|_r|om|om_r|48_r)?|(seed48|lcong48)(_r)?|(init|set)state(_r)?|arc4random(_buf|_uniform)?"
    r"|[hn]to[hn][ls]|argz_\w+|envz_\w+|basename|dirname|fnmatch|re_\w+|reg(comp|error|exec|free)|rpmatch|step|advance"
    r"|(h|t|l|tw)?(search|find|walk|delete|destroy|create)(_r)?|[ht](create|destroy|search|delete)(_r)?|lfind|q?sort(_r)?|qsort\w*"
    r"|insque|remque|getsubopt|getopt\w*|argp_\w+|iconv\w*|nl_langinfo\w*|(new|dup|free|use)locale|(set|local)e?(locale|econv)"
    r"|\w*gettext|\w*textdomain\w*|cat(open|close|gets)|fmtmsg|addseverity|inet\w*|ns_name_\w+|dn_\w+|ether_\w+|obstack_\w+",
    # the heap, without access to contents of memory
    r"(m|c|p?v)alloc|malloc\w*|mall(info2?|opt)|(m|aligned_|posix_)?(mem)?alignx?|aligned_alloc|memalign|posix_memalign|reallocarray|cfree"
    r"|m(check\w*|probe|trace|untrace|count|oncontrol|onstartup)|moncontrol|monstartup|tr_break|s?brk|sstk",
    # time, computed on this thread
    r"(asc|c|gm|local)time(_r)?|mktime|timegm|timelocal|difftime|tzset|getdate(_r)?|ftime|clock|ntp_gettimex?|dysize",
    # stdio through the library's buffers (except fread and fwrite, for long blocks)
    r"f?(get|put)w?[cs](har)?(_unlocked)?|f(get|put)w?[cs]\w*|(get|put)w|un?getw?c|(get|put)w?char(_unlocked)?|(get|put)s|getline|getdelim"
    r"|v?[adfos]?s?n?w?(printf|scanf)|v?(as|d|f|fw|s|sn|sw|w|obstack_)?printf|v?(f|fw|s|sw|w)?scanf|obstack_v?printf"
    r"|printf_size\w*|parse_printf_format|register_printf_\w+|f(close|closeall|dopen|eof|error|flush|ileno|seeko?|tello?|setpos|getpos|wide|purge)(64|_unlocked)?"
    r"|fcloseall|fmemopen|fopencookie|open_w?memstream|clearerr(_unlocked)?|rewind|setbuf|setlinebuf|f(try)?lockfile|funlockfile|pclose"
    r"|tmp(file(64)?|nam|nam_r)|perror|psiginfo|psignal|v?(err|warn)x?|error(_at_line)?|(v|open|close)?(sys)?log|setlogmask|vsyslog"
    r"|(close|read|rewind|seek|tell)dir|readdir(64)?(_r)?|telldir|seekdir|dirfd|fdopendir|alphasort(64)?|versionsort(64)?|globfree(64)?|glob_pattern_p"
    r"|fts(64)?_(children|close|read|set)|wordfree",
    # system databases, host names, Sun RPC, user accounting
    r"(get|set|end|add|has|put|f|s)?(get)?(alias|fs|gr|gid|host|mnt|net|netgr|proto|pw|rpc|serv|sg|sp|tty|ut|utx|user|usershell)"
    r"(ent|byname2?|byaddr|bynumber|byport|nam|gid|uid|file|spec|opt|id|line|shell|port|name)?(_r)?|get(ut|pw)\w*|getnetgrent\w*|(get|end|set)usershell"
    r"|(set|end|get)netgrent|innetgr|group_member|(f|s)get(gr|pw|sg|sp)ent(_r)?|put(gr|pw|sg|sp)ent|[ul]l?ckpwdf|lckpwdf|ulckpwdf|initgroups|getgrouplist"
    r"|getaddrinfo(_a)?|freeaddrinfo|gai_\w+|getnameinfo|getifaddrs|freeifaddrs|if_\w+|h(error|strerror)|res_\w+|rcmd(_af)?|rexec(_af)?|ruser\w+|iruser\w+"
    r"|rresvport(_af)?|bindresvport|rtime|auth\w+|clnt\w+|svc\w*|xdr\w*|xprt_\w+|pmap_\w+|callrpc|registerrpc|key_\w+|host2netname|netname2\w+|user2netname"
    r"|get(net|public|secret|my)\w+|getrpcport|(cbc|ecb|x)_?(crypt|encrypt|decrypt)|des_setparity|passwd2des|nss_\w+|(update?|upd)wtmpx?|log(in|out|wtmp)|login_tty"
    r"|(get|put)utx?line|pututx?line|utmpx?name|getutmpx?|cuserid|get(login|logname)(_r)?|setlogin|get(host|domain)name|getpass|getpw|ttyslot|gethostid|sethostid"
    r"|getloadavg|get(s|ipv4)sourcefilter|set(s|ipv4)sourcefilter|(get|set)sourcefilter",
    # only numbers are passed to the kernel
    r"(get|set)(e|re|res|fs)?[ug]id|(get|set)(pgid|pgrp|sid|priority)|get(p?pid|tid|dtablesize|pagesize|auxval|subopt|env|cpu|pt|ipv4sourcefilter)"
    r"|getpgrp|secure_getenv|nice|personality|umask|iopl|ioperm|sleep|usleep|u?alarm|pause|raise|kill(pg)?|tgkill|gsignal|ssignal|sync(fs)?|f(data)?sync"
    r"|close(_range|from)?|dup[23]?|l?l?seek(64)?|lseek64|llseek|ftruncate(64)?|(posix_)?fallocate(64)?|sync_file_range|tee|posix_fadvise(64)?|readahead|flock|lockf(64)?"
    r"|f(chmod|chown|chdir|chflags|pathconf|attach|detach)|chflags|fchflags|isatty|is(astream|fdtype)|socket|listen|shutdown|sockatmark|epoll_create1?|eventfd(_write)?"
    r"|inotify_(init1?|rm_watch)|fanotify_init|timerfd_create|timer_(delete|getoverrun)|pidfd_(open|getfd)|process_mrelease|pkey_(alloc|free|get|set)"
    r"|(msg|sem|shm)get|mq_close|sem_close|sched_(get_priority_(max|min)|getscheduler|yield|getcpu)|setns|unshare|reboot|vhangup|daemon|munlockall"
    r"|setfs[ug]id|fsmount|sigqueue|sig(block|setmask|pause|interrupt|hold|ignore|relse|getmask)|siggetmask|(grant|unlock)pt|posix_openpt|getpt|ctermid"
    r"|tc\w+|cf(get|set|make)\w+|[gs]tty|ttyname|ptsname|sysconf|confstr|gnu_\w+|get_\w+|ulimit|vlimit|vtimes|bdflush|get_kernel_syms|query_module"
    r"|create_module|nfsservctl|sysctl|(get|put)p?msg|statvfs|fstatvfs(64)?|sprofil|profil",
    # processes and threads; they access their arguments on the calling thread first, also locks and semaphores
    r"(v|_)?fork|clone|exit|_exit|quick_exit|on_exit|abort|at_quick_exit|pthread_(?!\w*affinity_np|(get|set)name_np|(get|set)schedparam|sigmask)\w+"
    r"|pthread_attr_\w+|pthread_setschedprio|posix_spawn(_file_actions|attr)_\w+|(thrd|mtx|cnd|tss)_(?!sleep)\w+|thrd_\w+|call_once"
    r"|sem_(destroy|getvalue|init|post|\w*wait)|setjmp|(sig)?longjmp|backtrace\w*|dl(addr1?|close|error|info|_iterate_phdr|m?open|v?sym)|sig\w+set\w*"
    r"|sig(abbrev|descr)_np|sigisemptyset|sigismember|sysv_signal|(put|set|unset|clear)env|clearenv|clock_getcpuclockid|aio_(cancel|error|init|return|suspend)(64)?",
    # they return twice or replace the thread's context, so they cannot be wrapped
    r"(get|set|make|swap)context|sigreturn|sigstack|sigvec|sigset",
    # each string is an argument of its own; they call execve() or a relative of it
    r"execle?|execlp",
]))


BESIDE = pathlib.Path(__file__).resolve().parent


def by_hand():
    """Functions with hand-written wrappers in this folder."""
    return {name for source in sorted(BESIDE.glob("*.cpp")) for name in re.findall(r"TUTTI_NEXT\((\w+)\);", source.read_text())}


def in_front_of():
    """All functions of the C library that the preload library wraps."""
    return sorted(by_hand() | set(HANDS_MEMORY))


def is_thought_of(name):
    return name in HANDS_MEMORY or name in by_hand() or THREADS_ALONE.fullmatch(name) is not None
