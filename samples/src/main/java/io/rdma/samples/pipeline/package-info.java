/**
 * A stream through three processes, with Reactor and with Flow. The sink's demand reaches the producer.
 * See docs/guide/pipelines.md.
 */
@org.jspecify.annotations.NullMarked
package io.rdma.samples.pipeline;
