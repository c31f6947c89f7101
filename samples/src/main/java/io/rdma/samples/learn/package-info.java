/** Small programs to learn verbs from, one noun after the other; each runs on every device. */
@org.jspecify.annotations.NullMarked
package io.rdma.samples.learn;
