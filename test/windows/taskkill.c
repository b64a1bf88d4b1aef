/* The taskkill of Wine 8 does not know /T. This one takes /PID <id>, /T and /F; exit codes as on Windows. */
#include <windows.h>
#include <tlhelp32.h>
#include <stdio.h>

#define MOST 8192

static PROCESSENTRY32W processes[MOST];
static int count, withChildren, failures;

static void readProcesses(void) {
  HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  processes[0].dwSize = sizeof *processes;
  for (BOOL more = Process32FirstW(snapshot, processes); more && count < MOST - 1;
       more = Process32NextW(snapshot, &processes[count])) {
    processes[++count].dwSize = sizeof *processes;
  }
  CloseHandle(snapshot);
}

static void end(DWORD id) {
  if (withChildren) {
    for (int i = 0; i < count; i++) {
      DWORD child = processes[i].th32ProcessID;
      if (processes[i].th32ParentProcessID == id && child != id) end(child);
    }
  }
  HANDLE process = OpenProcess(PROCESS_TERMINATE, FALSE, id);
  if (process == NULL || !TerminateProcess(process, 1)) failures++;
  if (process != NULL) CloseHandle(process);
}

int main(int argc, char **argv) {
  DWORD id = 0;
  for (int i = 1; i < argc; i++) {
    if (!lstrcmpiA(argv[i], "/PID") && i + 1 < argc) id = strtoul(argv[++i], NULL, 10);
    else if (!lstrcmpiA(argv[i], "/T")) withChildren = 1;
    else if (lstrcmpiA(argv[i], "/F")) {
      fprintf(stderr, "ERROR: Invalid argument/option - '%s'.\n", argv[i]);
      return 1;
    }
  }
  readProcesses();
  for (int i = 0; i < count; i++) {
    if (processes[i].th32ProcessID != id) continue;
    end(id);
    return failures > 0;
  }
  fprintf(stderr, "ERROR: The process \"%lu\" not found.\n", id);
  return 128;
}
