package io.rdma.samples.weather;

/**
 * What travels; Spring's codecs make CBOR of it.
 *
 * @param station who measured
 * @param number of this station's readings, from 0
 * @param celsius what was measured
 */
record Reading(String station, long number, double celsius) {}
