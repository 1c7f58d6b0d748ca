# Writes FOLDER/all.cpp, which includes Verilator's output files there.
file(GLOB sources RELATIVE ${FOLDER} ${FOLDER}/V*.cpp)
list(SORT sources)
list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n")
list(JOIN sources "" text)
file(WRITE ${FOLDER}/all.cpp "${text}")
