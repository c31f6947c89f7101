/**
 * The software device from outside: its counters, a capture of its packets, and bad links on purpose, for tests of
 * services that use this library. Nobody needs it to use the device.
 */
@NullMarked
package io.rdma.soft;

import org.jspecify.annotations.NullMarked;
