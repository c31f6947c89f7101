/**
 * Test kit for JUnit: a private network of a software device for each test, faulty links, servers as fixtures, and a
 * check for what a test left open. docs/guide/testing.md shows each.
 */
@NullMarked
package io.rdma.test;

import org.jspecify.annotations.NullMarked;
