/* SPDX-License-Identifier: MIT
 *
 * Process 1 of the test VM that scripts/vm boots.
 *
 * It puts a tmpfs overlay on the host's root (9p, read-only), runs the one
 * command described by the files in the 9p share "job" (argv, env, cwd: strings
 * each ended by a NUL), and passes out through virtio-serial ports what the
 * command and the kernel say. The last thing sent is "exit N", "signal N", or
 * "failed SENTENCE" on the status port.
 *
 * If the share has a file "systemd", systemd becomes process 1. A copy of this program
 * is its service vm-job.service, which runs the command in the same way.
 *
 * The ports belong to a device without ioeventfd and end in files on the host,
 * so bytes are on the host when write() returns: nothing is left to drain.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORT_STDOUT, PORT_STDERR, PORT_STATUS, PORT_KERNEL_LOG, PORTS };

static int ports[PORTS] = {-1, -1, -1, -1};

static void write_all(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		}
	}
}

static _Noreturn void power_off(void)
{
	/* The host starts QEMU with -no-reboot: a reset ends it, faster than ACPI. */
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static _Noreturn __attribute__((format(printf, 1, 2))) void fail(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (ports[PORT_STATUS] >= 0)
		dprintf(ports[PORT_STATUS], "failed %s\n", text);
	else
		printf("init: %s\n", text);
	power_off();
}

static void mount_or_fail(const char *source, const char *target, const char *type,
			  unsigned long flags, const char *options)
{
	mkdir(target, 0755);
	if (mount(source, target, type, flags, options) != 0)
		fail("Mounting %s on %s failed: %s.", type, target, strerror(errno));
}

/*
 * A port shows up a moment after the driver has talked to the host. There is one
 * virtio-serial device, but its number depends on the other virtio devices.
 */
static int open_port(int number)
{
	char pattern[32];
	glob_t found;
	int fd;

	snprintf(pattern, sizeof(pattern), "/dev/vport*p%d", number + 1);
	for (int tries = 0; tries < 10000; tries++) {
		if (glob(pattern, 0, NULL, &found) == 0) {
			fd = open(found.gl_pathv[0], O_WRONLY | O_CLOEXEC);
			globfree(&found);
			if (fd >= 0)
				return fd;
		}
		usleep(1000);
	}
	fail("Opening the port %s failed: %s.", pattern, strerror(errno));
}

/* The kernel gives lo its address 127.0.0.1 when it comes up. */
static void bring_lo_up(void)
{
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) != 0)
		fail("Bringing lo up failed: %s.", strerror(errno));
	close(fd);
}

static void mount_share(const char *tag, const char *target)
{
	mount_or_fail(tag, target, "9p", MS_RDONLY,
		      "trans=virtio,version=9p2000.L,msize=512000,cache=loose");
}

/* Writes of the guest to the share stay in its memory. */
static void mount_share_under_overlay(const char *tag, const char *target)
{
	char lower[32], upper[32], work[32], options[128];

	snprintf(lower, sizeof(lower), "/%s", tag);
	snprintf(upper, sizeof(upper), "/writes/%s", tag);
	snprintf(work, sizeof(work), "/writes/%s-work", tag);
	mount_share(tag, lower);
	mkdir(upper, 0755);
	mkdir(work, 0755);
	snprintf(options, sizeof(options), "lowerdir=%s,upperdir=%s,workdir=%s", lower, upper,
		 work);
	mount_or_fail("overlay", target, "overlay", 0, options);
}

static void mount_root(void)
{
	mount_share("job", "/job");
	mount_or_fail("tmpfs", "/writes", "tmpfs", 0, "mode=755");
	mount_share_under_overlay("host", "/new");
}

/*
 * A root for another processor is not the host's, so the repository comes in a share of
 * its own, and gets the path that it has on the host.
 */
static void mount_tree(const char *directory)
{
	char path[4096];

	if (access("/job/tree", F_OK) != 0)
		return;
	snprintf(path, sizeof(path), "/new%s/", directory);
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	mount_share_under_overlay("tree", path);
}

/* access() would ask the guest, where root may do everything. */
static int access_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static void mount_in_root(void)
{
	mount_or_fail("proc", "/new/proc", "proc", 0, NULL);
	mount_or_fail("sysfs", "/new/sys", "sysfs", 0, NULL);
	mount_or_fail("devtmpfs", "/new/dev", "devtmpfs", 0, NULL);
	mount_or_fail("devpts", "/new/dev/pts", "devpts", 0, "gid=5,mode=620,ptmxmode=666");
	mount_or_fail("tmpfs", "/new/dev/shm", "tmpfs", 0, "mode=1777");
	mount_or_fail("tmpfs", "/new/run", "tmpfs", 0, "mode=755");
	mount_or_fail("tracefs", "/new/sys/kernel/tracing", "tracefs", 0, NULL);
	/* A user who starts the VM cannot read root's home, which is HOME here. */
	if (access_directory("/new/root") != 0)
		mount_or_fail("tmpfs", "/new/root", "tmpfs", 0, "mode=700");
	/* Not every kernel has it; nothing here needs it. */
	(void)mount("debugfs", "/new/sys/kernel/debug", "debugfs", 0, NULL);
	(void)!symlink("/proc/self/fd", "/new/dev/fd");
	(void)!symlink("/proc/self/fd/0", "/new/dev/stdin");
	(void)!symlink("/proc/self/fd/1", "/new/dev/stdout");
	(void)!symlink("/proc/self/fd/2", "/new/dev/stderr");
}

/* Move, not only chroot: a chrooted process may not create user namespaces. */
static void enter_root(void)
{
	if (chdir("/new") != 0 || mount(".", "/", NULL, MS_MOVE, NULL) != 0 ||
	    chroot(".") != 0 || chdir("/") != 0)
		fail("Entering the new root failed: %s.", strerror(errno));
}

/* The strings in a job file, as a vector with NULL at its end. Never freed. */
static char **read_strings(const char *path)
{
	size_t size = 0, capacity = 1 << 16, count = 0, next = 0;
	char *bytes = malloc(capacity), **strings;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		fail("Opening %s failed: %s.", path, strerror(errno));
	while (bytes && (n = read(fd, bytes + size, capacity - size)) > 0) {
		size += (size_t)n;
		if (size == capacity)
			bytes = realloc(bytes, capacity *= 2);
	}
	close(fd);
	strings = bytes ? malloc((size + 1) * sizeof(*strings)) : NULL;
	if (!strings)
		fail("There was no memory for %s.", path);
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == '\0') {
			strings[count++] = bytes + next;
			next = i + 1;
		}
	}
	strings[count] = NULL;
	return strings;
}

/* The command, with its environment and directory. */
struct job {
	char **argv, **env, *directory;
};

static struct job read_job(void)
{
	return (struct job){ read_strings("/job/argv"), read_strings("/job/env"),
			     read_strings("/job/cwd")[0] };
}

static _Noreturn void run_command(char **argv, char **env, const char *directory)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (chdir(directory) != 0) {
		fprintf(stderr, "vm: Entering %s in the guest failed: %s.\n", directory,
			strerror(errno));
		_exit(126);
	}
	/* execvpe searches the PATH of this process, so environ it is. */
	environ = env;
	execvp(argv[0], argv);
	fprintf(stderr, "vm: Running %s in the guest failed: %s.\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Starts the job; *out and *err become the reading ends of what it prints. */
static pid_t start_command(const struct job *job, int *out, int *err)
{
	int out_pipe[2], err_pipe[2], null;
	pid_t pid;

	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (pipe2(out_pipe, O_CLOEXEC) != 0 || pipe2(err_pipe, O_CLOEXEC) != 0 || null < 0)
		fail("Opening pipes failed: %s.", strerror(errno));
	pid = fork();
	if (pid < 0)
		fail("Forking failed: %s.", strerror(errno));
	if (pid == 0) {
		dup2(null, 0);
		dup2(out_pipe[1], 1);
		dup2(err_pipe[1], 2);
		run_command(job->argv, job->env, job->directory);
	}
	close(out_pipe[1]);
	close(err_pipe[1]);
	close(null);
	*out = out_pipe[0];
	*err = err_pipe[0];
	return pid;
}

/* Passes on the bytes there now. Returns whether more may come. */
static int relay(int from, int port)
{
	static char bytes[1 << 16];
	ssize_t n = read(from, bytes, sizeof(bytes));

	if (n > 0)
		write_all(port, bytes, (size_t)n);
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Passes on kernel messages as dmesg prints them, until there are no more. */
static void relay_kernel_log(int kmsg)
{
	char record[8192], line[8192 + 32];
	ssize_t n;

	for (;;) {
		unsigned long long microseconds = 0;
		char *text;
		int length;

		n = read(kmsg, record, sizeof(record) - 1);
		if (n < 0 && errno == EPIPE)	/* overwritten meanwhile: go on behind it */
			continue;
		if (n <= 0)
			return;
		record[n] = '\0';
		text = strchr(record, ';');
		if (!text || sscanf(record, "%*u,%*u,%llu", &microseconds) != 1)
			continue;
		text[strcspn(text, "\n")] = '\0';
		length = snprintf(line, sizeof(line), "[%5llu.%06llu] %s\n",
				  microseconds / 1000000, microseconds % 1000000, text + 1);
		write_all(ports[PORT_KERNEL_LOG], line, (size_t)length);
	}
}

/* Collects every process that ended. Returns whether COMMAND was among them. */
static int reap(pid_t command, int *status)
{
	int found = 0, one;
	pid_t pid;

	while ((pid = waitpid(-1, &one, WNOHANG)) > 0) {
		if (pid == command) {
			*status = one;
			found = 1;
		}
	}
	return found;
}

/* Relays until the command ends. What it left running does not keep it alive. */
static int wait_for_command(pid_t command, int out, int err, int kmsg, int children)
{
	struct pollfd fds[] = {
		{.fd = out, .events = POLLIN},
		{.fd = err, .events = POLLIN},
		{.fd = kmsg, .events = POLLIN},
		{.fd = children, .events = POLLIN},
	};
	struct signalfd_siginfo info;
	int status = 0;

	for (;;) {
		if (poll(fds, 4, -1) < 0)
			continue;
		if (fds[0].revents && !relay(out, ports[PORT_STDOUT]))
			fds[0].fd = -1;
		if (fds[1].revents && !relay(err, ports[PORT_STDERR]))
			fds[1].fd = -1;
		if (fds[2].revents)
			relay_kernel_log(kmsg);
		if (fds[3].revents) {
			(void)!read(children, &info, sizeof(info));
			if (reap(command, &status))
				return status;
		}
	}
}

/* After this nobody writes any more, so reading to the end does end. */
static void end_all_processes(int out, int err, int kmsg)
{
	kill(-1, SIGKILL);
	while (relay(out, ports[PORT_STDOUT]))
		;
	while (relay(err, ports[PORT_STDERR]))
		;
	while (waitpid(-1, NULL, 0) > 0)
		;
	relay_kernel_log(kmsg);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		fail("Writing %s failed: %s.", path, strerror(errno));
}

static void copy_file(const char *from, const char *to)
{
	static char bytes[1 << 16];
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ssize_t n;

	if (in < 0 || out < 0)
		fail("Copying %s to %s failed: %s.", from, to, strerror(errno));
	while ((n = read(in, bytes, sizeof(bytes))) > 0)
		write_all(out, bytes, (size_t)n);
	close(in);
	close(out);
}

/* The last service that a boot starts. */
static const char job_unit[] = "[Unit]\nAfter=multi-user.target\n[Service]\nType=exec\n"
			       "ExecStart=/run/vm/init --service\nKillMode=process\n"
			       "OOMScoreAdjust=-1000\nTimeoutStopSec=1\n";

/* Without a machine's id, systemd takes this for the first boot, and enables all. */
static void write_machine_id(void)
{
	if (access("/etc/machine-id", F_OK) != 0)
		write_file("/etc/machine-id", "00000000000000000000000000000001\n");
}

/* Both names of the job's share are below /run, which systemd keeps. */
static _Noreturn void become_systemd(void)
{
	mkdir("/new/run/vm", 0755);
	mkdir("/new/run/vm/job", 0755);
	if (mount("/job", "/new/run/vm/job", NULL, MS_BIND, NULL) != 0)
		fail("Binding /job failed: %s.", strerror(errno));
	copy_file("/init", "/new/run/vm/init");
	enter_root();
	mkdir("/run/systemd", 0755);
	mkdir("/run/systemd/system", 0755);
	write_file("/run/systemd/system/vm-job.service", job_unit);
	write_machine_id();
	if (symlink("/run/vm/job", "/job") != 0 && errno != EEXIST)
		fail("Linking /job failed: %s.", strerror(errno));
	execl("/lib/systemd/systemd", "/sbin/init", NULL);
	fail("Running systemd failed: %s.", strerror(errno));
}

/* Runs the job, and ends the machine. */
static _Noreturn void run_job(const struct job *job, int kmsg)
{
	int out, err, children, status;
	sigset_t chld;
	pid_t command;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	children = signalfd(-1, &chld, SFD_CLOEXEC);
	if (children < 0)
		fail("signalfd failed: %s.", strerror(errno));
	command = start_command(job, &out, &err);
	status = wait_for_command(command, out, err, kmsg, children);
	end_all_processes(out, err, kmsg);
	if (WIFSIGNALED(status))
		dprintf(ports[PORT_STATUS], "signal %d\n", WTERMSIG(status));
	else
		dprintf(ports[PORT_STATUS], "exit %d\n", WEXITSTATUS(status));
	power_off();
}

static int open_devices(void)
{
	int kmsg;

	for (int i = 0; i < PORTS; i++)
		ports[i] = open_port(i);
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg < 0)
		fail("Opening /dev/kmsg failed: %s.", strerror(errno));
	return kmsg;
}

int main(int argc, char **argv)
{
	struct job job;
	int kmsg;

	(void)argv;
	umask(022);
	if (argc == 1)
		mount_or_fail("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	kmsg = open_devices();
	if (argc > 1) { /* the service of systemd */
		job = read_job();
		run_job(&job, kmsg);
	}
	sethostname("vm", 2);
	bring_lo_up();
	mount_root();
	job = read_job();
	mount_tree(job.directory);
	mount_in_root();
	if (access("/job/systemd", F_OK) == 0)
		become_systemd();
	enter_root();
	run_job(&job, kmsg);
}
