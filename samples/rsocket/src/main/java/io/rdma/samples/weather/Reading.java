package io.rdma.samples.weather;

/**
 * The message between client and server, which Spring's codecs encode as CBOR.
 *
 * @param station that measured
 * @param number of this station's readings, from 0
 * @param celsius the measured temperature
 */
record Reading(String station, long number, double celsius) {}
