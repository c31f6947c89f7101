/**
 * The program {@code rping} of rdma-core, written with the typed verbs objects and RDMA CM. Either end may be the C
 * program.
 */
@NullMarked
package io.rdma.samples.rping;

import org.jspecify.annotations.NullMarked;
