/**
 * The software device as seen from outside, for tests of services that use this library: its counters, a capture of its
 * packets, and faulty links on purpose. The device works without it.
 */
@NullMarked
package io.rdma.soft;

import org.jspecify.annotations.NullMarked;
