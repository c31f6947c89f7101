/** What the tests of these samples share. */
package io.rdma.samples;
