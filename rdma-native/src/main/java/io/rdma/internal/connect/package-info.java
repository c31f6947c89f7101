/**
 * Connection setup: by RDMA CM, or by an exchange of queue pair numbers, addresses and limits over TCP; and the
 * bring-up of queue pairs.
 */
@NullMarked
package io.rdma.internal.connect;

import org.jspecify.annotations.NullMarked;
