// A library whose destructor calls the program back.
#pragma once

void call_at_last(void (*function)(void));
