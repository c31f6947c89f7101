package io.rdma.verbs;

/** Contract where writes reach memory in any order, until a FLUSH or ATOMIC WRITE settles them. */
class UnorderedMemoryPlacementContractTest extends MemoryPlacementContract {
    @Override
    String name() {
        return "soft-unordered0";
    }
}
