/* Wine 8 has no bcryptprimitives.dll, whose ProcessPrng the standard library of Rust needs, and with it rolldown. */
#include <windows.h>

#define LARGEST 0x10000000

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T left) {
  while (left > 0) {
    ULONG part = left > LARGEST ? LARGEST : (ULONG)left;
    if (!SystemFunction036(bytes, part)) return FALSE;
    bytes += part;
    left -= part;
  }
  return TRUE;
}
