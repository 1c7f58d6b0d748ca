#pragma once
/* The version of Tutti, for C and C++. */

#define TUTTI_VERSION_MAJOR 0
#define TUTTI_VERSION_MINOR 1
#define TUTTI_VERSION_PATCH 0
#define TUTTI_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the loaded library, in the format of TUTTI_VERSION. May be called from any thread at any
 * time, also before MPI_Init. A program that may run without Tutti can look the function up with
 * dlsym(RTLD_DEFAULT, "tutti_version"). */
__attribute__((visibility("default"))) const char* tutti_version(void);

#ifdef __cplusplus
}
#endif
