package io.rdma.internal.soft.objects;

import org.jspecify.annotations.Nullable;

/**
 * Parameters of a posted binding.
 *
 * @param window the window to bind
 * @param oldKey key of the window at the post
 * @param newKey key of the window after the binding
 * @param region the region to bind to; null only if the length is 0
 * @param address first byte, in the addresses of the region
 * @param length in bytes; 0 unbinds a type 1 window
 * @param access rights of the peer
 */
public record Bind(
        SoftMw window, int oldKey, int newKey, @Nullable SoftMr region, long address, long length, int access) {}
