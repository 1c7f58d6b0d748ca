"""The virtual cluster: network namespaces as the nodes of a small cluster with limited links.

Reading order: cluster (state that persists between commands), network (the links), job (state of one command),
node (how a process gets its own machine), launch (how the two MPIs learn of the nodes), command (the command line).
"""
