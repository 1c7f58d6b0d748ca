// The parts of fmt that are in its library and not in its headers, for libraries loaded into programs: the name of
// fmt's library differs between versions, and the library may be missing.
#include <fmt/format-inl.h>

// The templates that the headers declare as defined elsewhere.
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(
    fmt::detail::locale_ref);
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
