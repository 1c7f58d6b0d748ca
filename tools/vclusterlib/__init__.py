"""The virtual cluster: network namespaces as the nodes of a small cluster with limited links.

Reading order: cluster (what persists between commands), network (the wires), job (what lives for
one command), node (what makes a process believe it is on a machine of its own), launch (how the two
MPIs are told about the nodes), command (the command line).
"""
