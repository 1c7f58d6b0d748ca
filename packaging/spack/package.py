# Spack recipe: put it into a repository of yours as packages/tutti/package.py.
from spack.package import *


class Tutti(CMakePackage):
    """Makes the collective operations of MPI programs faster without changing the programs."""

    git = "file:///path/to/your/clone/of/tutti"
    license("Apache-2.0")

    version("main", branch="main")

    variant("mpi", default="mpich", values=("mpich", "openmpi"), multi=False, description="MPI to build for")
    variant("ucx", default=True, description="Build the transport over UCX")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("mpich@4:", when="mpi=mpich")
    depends_on("openmpi@4:", when="mpi=openmpi")
    depends_on("ucx@1.10:", when="+ucx")
    depends_on("hwloc@2:")
    depends_on("fmt@9:")
    depends_on("cli11@2:")
    depends_on("nlohmann-json@3.11:")
    depends_on("elfutils@0.180:")

    generator("ninja")
    conflicts("%gcc@:11", msg="Tutti is written in C++20")

    def cmake_args(self):
        mpi = self.spec.variants["mpi"].value
        return [
            self.define("TUTTI_TESTS", False),
            self.define("TUTTI_WERROR", False),
            self.define("TUTTI_MPI", mpi),
            self.define_from_variant("TUTTI_UCX", "ucx"),
            self.define(f"TUTTI_MPICC_{mpi.upper()}", self.spec["mpi"].mpicc),
        ]
