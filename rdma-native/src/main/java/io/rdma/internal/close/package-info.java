/**
 * Closing of several objects. {@link io.rdma.internal.close.CloseSteps} tries every step of a close and reports the
 * first failure. {@link io.rdma.internal.close.CleanupStack} closes the objects of a construction that fails half-way.
 */
@NullMarked
package io.rdma.internal.close;

import org.jspecify.annotations.NullMarked;
