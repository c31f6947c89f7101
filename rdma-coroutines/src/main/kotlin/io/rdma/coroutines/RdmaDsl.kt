package io.rdma.coroutines

/** Marker of the configuration blocks: a block that is nested in another one cannot set values of the outer one. */
@DslMarker
@Target(AnnotationTarget.CLASS)
public annotation class RdmaDsl
