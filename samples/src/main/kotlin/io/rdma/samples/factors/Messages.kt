package io.rdma.samples.factors

import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout

// On the wire, in network byte order: a request is id, milliseconds, number; an answer is id, outcome, count, factors.

private val INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(java.nio.ByteOrder.BIG_ENDIAN)
private val LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(java.nio.ByteOrder.BIG_ENDIAN)
private const val MOST_FACTORS = 62 // a positive Long has at most 62 prime factors, all of them 2

/** The result of a request. */
enum class Outcome { DONE, OUT_OF_TIME, REFUSED }

/** A request for the prime factors of a [number]. The server gives it up after [milliseconds]. */
data class Request(
    val id: Int,
    val milliseconds: Int,
    val number: Long,
) {
    /** Encodes the request into [target] and returns its length. */
    fun encode(target: MemorySegment): Int {
        target.set(INT, 0, id)
        target.set(INT, 4, milliseconds)
        target.set(LONG, 8, number)
        return BYTES
    }

    companion object {
        const val BYTES = 16

        /** Decodes a request. Returns null if the bytes are not a valid request. */
        fun decode(source: MemorySegment): Request? =
            if (source.byteSize() == BYTES.toLong()) {
                Request(source.get(INT, 0), source.get(INT, 4), source.get(LONG, 8))
            } else {
                null
            }
    }
}

/** The answer to the request with the same [id]. It has [factors] only if the outcome is [Outcome.DONE]. */
data class Answer(
    val id: Int,
    val outcome: Outcome,
    val factors: List<Long> = emptyList(),
) {
    /** Encodes the answer into [target] and returns its length. */
    fun encode(target: MemorySegment): Int {
        target.set(INT, 0, id)
        target.set(INT, 4, outcome.ordinal)
        target.set(INT, 8, factors.size)
        factors.forEachIndexed { i, factor -> target.set(LONG, HEAD + 8L * i, factor) }
        return HEAD + 8 * factors.size
    }

    companion object {
        private const val HEAD = 12

        /** Decodes an answer. Returns null if the bytes are not a valid answer. */
        fun decode(source: MemorySegment): Answer? {
            if (source.byteSize() < HEAD) return null
            val outcome = Outcome.entries.getOrNull(source.get(INT, 4)) ?: return null
            val count = source.get(INT, 8)
            if (count !in 0..MOST_FACTORS || source.byteSize() != HEAD + 8L * count) return null
            return Answer(source.get(INT, 0), outcome, List(count) { source.get(LONG, HEAD + 8L * it) })
        }
    }
}
