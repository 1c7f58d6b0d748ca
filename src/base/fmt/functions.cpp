// What fmt has in its library and not in its headers, for what is loaded into other people's programs: fmt's library
// has another name with each of its versions, and a program may not have it at all.
#include <fmt/format-inl.h>

// The templates of which the headers say that they are somewhere else.
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(
    fmt::detail::locale_ref);
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
