/** Small programs that teach verbs, one object after the other. Each runs on every device. */
@org.jspecify.annotations.NullMarked
package io.rdma.samples.learn;
