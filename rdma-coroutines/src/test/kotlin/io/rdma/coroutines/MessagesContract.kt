package io.rdma.coroutines

import io.rdma.buffer.MessageDecodingException
import io.rdma.coroutines.io.buffers
import io.rdma.coroutines.io.receiveBuffer
import io.rdma.coroutines.io.receiveBufferOrNull
import io.rdma.coroutines.io.send
import io.rdma.coroutines.serialization.incoming
import io.rdma.coroutines.serialization.receive
import io.rdma.coroutines.serialization.receiveOrNull
import io.rdma.coroutines.serialization.send
import io.rdma.engine.ConnectionClosedException
import io.rdma.types.AccessFlag
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.io.Buffer
import kotlinx.io.readByteArray
import kotlinx.io.readString
import kotlinx.io.writeString
import kotlinx.serialization.ExperimentalSerializationApi
import kotlinx.serialization.SerialFormat
import kotlinx.serialization.SerializationException
import kotlinx.serialization.builtins.serializer
import kotlinx.serialization.cbor.Cbor
import kotlinx.serialization.json.Json
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.time.Duration
import java.util.HexFormat

/** Contract of messages that are texts, bytes, values and buffers, the same on every device. */
@OptIn(ExperimentalSerializationApi::class) // Cbor
abstract class MessagesContract : PairContract() {
    private val waves = ByteArray(3 * MESSAGE) { it.toByte() }

    /** Runs a test from the client to its peer, and then the other way. */
    private fun bothWays(test: suspend (from: RdmaConnection, to: RdmaConnection) -> Unit) =
        connected { pair ->
            test(pair.client, pair.peer)
            test(pair.peer, pair.client)
        }

    private suspend fun <T> exchanged(
        send: suspend () -> Unit,
        receive: suspend () -> T,
    ): T =
        coroutineScope {
            launch { send() }
            receive()
        }

    @Test
    fun `a text arrives as the text and as its bytes in UTF-8`() =
        bothWays { from, to ->
            for ((text, utf8) in UTF_8) {
                assertThat(exchanged({ from.send(text) }, { to.receiveText() })).isEqualTo(text)
                assertThat(exchanged({ from.send(text) }, { to.receiveTextOrNull() })).isEqualTo(text)
                val bytes = exchanged({ from.send(text) }, { to.receiveBytes() })
                assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(utf8)
            }
        }

    @Test
    fun `text that has no encoding and bytes that are no text are replaced`() =
        bothWays { from, to ->
            assertThat(exchanged({ from.send("a\uD83D") }, { to.receiveBytes() })).isEqualTo("a?".toByteArray())
            val cut = HexFormat.of().parseHex("61f09f98") // the last byte of a character is missing
            assertThat(exchanged({ from.send(cut) }, { to.receiveText() })).isEqualTo("a\uFFFD")
        }

    @Test
    fun `bytes of every kind of memory arrive`() =
        bothWays { from, to ->
            val direct = ByteBuffer.allocateDirect(waves.size).put(waves).flip()
            for (buffer in listOf(ByteBuffer.wrap(waves), direct, ByteBuffer.wrap(waves).asReadOnlyBuffer())) {
                buffer.position(5).limit(2000)
                val received = exchanged({ from.send(buffer) }, { to.receiveBytes() })
                assertThat(received).isEqualTo(waves.copyOfRange(5, 2000))
                assertThat(buffer.position()).isEqualTo(5)
                assertThat(buffer.limit()).isEqualTo(2000)
            }
            assertThat(exchanged({ from.send(waves) }, { to.receiveBytesOrNull() })).isEqualTo(waves)
        }

    @Test
    fun `a byte buffer in registered memory is not copied`() =
        bothWays { from, to ->
            val region = from.allocate(64, AccessFlag.LOCAL_WRITE)
            Arena.ofShared().use { arena ->
                val own = arena.allocate(64)
                from.register(own).close()
                val all = List(SEND_BUFFERS) { from.acquire() } // a message that is copied waits for one of them
                for (memory in listOf(region.segment(), own)) {
                    memory.asSlice(0, 10).copyFrom(MemorySegment.ofArray("registered".toByteArray()))
                    val buffer = memory.asByteBuffer().asReadOnlyBuffer().limit(10)
                    assertThat(exchanged({ from.send(buffer) }, { to.receiveText() })).isEqualTo("registered")
                    assertThat(buffer.remaining()).isEqualTo(10)
                }
                coroutineScope {
                    val copied =
                        launch(start = CoroutineStart.UNDISPATCHED) { from.send(ByteBuffer.allocateDirect(1)) }
                    assertThat(copied.isCompleted).isFalse()
                    copied.cancelAndJoin()
                }
                all.forEach { it.close() }
            }
            region.close()
        }

    @Test
    fun `buffers of kotlinx-io arrive and are consumed`() =
        bothWays { from, to ->
            // of several segments, which have 8 KiB each
            for (size in listOf(0, 1, MESSAGE, 8 * MESSAGE + 1, LARGE)) {
                val bytes = ByteArray(size) { (it * 7).toByte() }
                val source = Buffer().apply { write(bytes) }
                val received = exchanged({ from.send(source) }, { to.receiveBuffer() })
                assertThat(received.readByteArray()).isEqualTo(bytes)
                assertThat(source.exhausted()).isTrue()
            }
            val text = exchanged({ from.send(Buffer().apply { writeString("😀") }) }, { to.receiveBufferOrNull() })
            assertThat(text?.readString()).isEqualTo("😀")
        }

    @Test
    fun `values arrive in each format`() =
        bothWays { from, to ->
            val order = Order(7, "😀 tea")
            for (format in FORMATS) {
                assertThat(exchanged({ from.send(order, format) }, { to.receive<Order>(format) })).isEqualTo(order)
                assertThat(exchanged({ from.send(order, format) }, { to.receiveOrNull<Order>(format) }))
                    .isEqualTo(order)
                val serializer = Order.serializer()
                assertThat(exchanged({ from.send(order, format, serializer) }, { to.receive(format, serializer) }))
                    .isEqualTo(order)
            }
            // what other programs read and write
            val json = exchanged({ from.send(order, Json) }, { to.receiveText() })
            assertThat(json).isEqualTo("""{"number":7,"item":"😀 tea"}""")
            val list = exchanged({ from.send("[1,2,3]") }, { to.receive<List<Int>>(Json) })
            assertThat(list).containsExactly(1, 2, 3)
            val cbor = exchanged({ from.send(10, Cbor, Int.serializer()) }, { to.receiveBytes() })
            assertThat(cbor).isEqualTo(byteArrayOf(0x0a)) // RFC 8949, appendix A
        }

    @Test
    fun `flows of every form keep their order and their items`() =
        bothWays { from, to ->
            // The last ones need memory of their own.
            val texts = (0 until COUNT).map { "text $it " + "x".repeat(it * 40) }

            suspend fun <T> all(
                send: suspend () -> Unit,
                flow: Flow<T>,
            ): List<T> = exchanged(send) { flow.take(COUNT).toList() }

            fun flow() = flowOf(*texts.toTypedArray())
            assertThat(all({ from.send(flow()) }, to.incoming().texts())).isEqualTo(texts)
            assertThat(all({ from.send(flow()) }, to.receiveOwned().texts())).isEqualTo(texts)
            assertThat(
                to.incoming(),
            ).describedAs("operators cannot keep what is lent").isNotInstanceOf(Flow::class.java)
            val bytes = all({ from.send(flow().map(String::toByteArray)) }, to.incoming().bytes())
            assertThat(bytes.map { String(it) }).isEqualTo(texts)
            val lengths = all({ from.send(flow()) }, to.incoming().decoded { it.length() })
            assertThat(lengths).isEqualTo(texts.map { it.length })
            val buffers = all({ from.send(flow()) }, to.incoming().buffers())
            assertThat(buffers.map { it.readString() }).isEqualTo(texts)
            for (format in FORMATS) {
                val values = flow().map { Order(it.length, it) }
                val received = all({ from.send(values, format) }, to.incoming<Order>(format))
                assertThat(received).isEqualTo(texts.map { Order(it.length, it) })
            }
        }

    @Test
    fun `an empty message of every form arrives`() =
        bothWays { from, to ->
            val empty =
                listOf<suspend () -> Unit>(
                    { from.send("") },
                    { from.send(ByteArray(0)) },
                    { from.send(ByteBuffer.allocate(0)) },
                    { from.send(Buffer()) },
                    { from.send(flowOf("")) },
                    { from.send(flowOf(ByteArray(0))) },
                )
            for (send in empty) {
                assertThat(exchanged(send) { to.receiveText() }).isEmpty()
                assertThat(exchanged(send) { to.receiveBytes() }).isEmpty()
                assertThat(exchanged(send) { to.receiveBuffer().exhausted() }).isTrue()
            }
        }

    @Test
    fun `a message may have exactly the size that the peer allows`() =
        bothWays { from, to ->
            assertThat(from.maxMessageSize).isEqualTo(LARGE)
            val text = "é".repeat(LARGE / 2)
            assertThat(exchanged({ from.send(text) }, { to.receiveText() })).isEqualTo(text)
            val more = text + "x"
            val source = Buffer().apply { writeString(more) }
            val refused =
                listOf<suspend () -> Unit>(
                    { from.send(more) },
                    { from.send(more.toByteArray()) },
                    { from.send(ByteBuffer.wrap(more.toByteArray())) },
                    { from.send(source) },
                    { from.send(more, Json) },
                    { from.send(flowOf(more)) },
                )
            for (send in refused) {
                val failure = runCatching { send() }.exceptionOrNull()
                assertThat(failure).isInstanceOf(IllegalArgumentException::class.java).hasMessageContaining("$LARGE")
            }
            assertThat(source.size).isEqualTo(LARGE + 1L)
            assertThat(exchanged({ from.send("goes on") }, { to.receiveText() })).isEqualTo("goes on")
        }

    @Test
    fun `a text that is cancelled before it is posted is never sent`() =
        bothWays { from, to ->
            coroutineScope {
                val all = List(SEND_BUFFERS) { from.acquire() }
                val source = Buffer().apply { writeString("never sent") }
                val waiting =
                    listOf<suspend () -> Unit>({ from.send("never sent") }, { from.send(source) })
                        .map { send -> launch(start = CoroutineStart.UNDISPATCHED) { send() } }
                waiting.forEach { it.cancelAndJoin() }
                all.forEach { it.close() }
                assertThat(exchanged({ from.send(source) }, { to.receiveText() })).isEqualTo("never sent")
                assertThat(exchanged({ from.send("next") }, { to.receiveText() })).isEqualTo("next")
            }
        }

    @Test
    fun `a text that is cancelled after the post arrives`() =
        bothWays { from, to ->
            coroutineScope {
                val sending = launch(start = CoroutineStart.UNDISPATCHED) { from.send("posted") }
                // Blocks the only thread of the coroutines. So `sending` does not go on meanwhile, unless the message
                // was delivered before `send` suspended.
                await().atMost(Duration.ofSeconds(60)).until { to.engine.receives().outstanding() == 1 }
                sending.cancelAndJoin()
                assertThat(to.receiveText()).isEqualTo("posted")
            }
        }

    private fun assertNamesOrder(
        failure: Throwable?,
        length: Int,
    ) {
        assertThat(failure)
            .isInstanceOf(MessageDecodingException::class.java)
            .hasMessageContaining("$length bytes")
            .hasMessageContaining("io.rdma.coroutines.Order")
            .hasMessageContaining("receiveBytes()")
            .hasMessageNotContaining("secret")
            .hasCauseInstanceOf(Exception::class.java)
    }

    @Test
    fun `a message that is not a value is an error and the next one is received`() =
        bothWays { from, to ->
            val order = Order(1, "tea")
            val undecodable =
                listOf(
                    Json to "secret".toByteArray(),
                    Json to "{}".toByteArray(),
                    Json to ByteArray(0),
                    Json to """{"number":-1,"item":"secret"}""".toByteArray(), // the class refuses it
                    Json to HexFormat.of().parseHex("ff22"), // is not UTF-8
                    Cbor to "secret".toByteArray(),
                    Cbor to ByteArray(0),
                    Cbor to ByteArray(9) { -1 },
                )
            for ((format, bytes) in undecodable) {
                val receive =
                    listOf<suspend () -> Order?>(
                        { to.receive<Order>(format) },
                        { to.receiveOrNull<Order>(format) },
                        {
                            to
                                .incoming<Order>(format)
                                .take(1)
                                .toList()
                                .first()
                        },
                    )
                for (each in receive) {
                    val failed = exchanged({ from.send(bytes) }) { runCatching { each() } }
                    assertNamesOrder(failed.exceptionOrNull(), bytes.size)
                    assertThat(exchanged({ from.send(order, format) }) { each() }).isEqualTo(order)
                }
            }
            assertThat(to.isClosed).isFalse()
        }

    @Test
    fun `a value that is nested too deeply is an error and the next one is received`() =
        bothWays { from, to ->
            val nested = """{"next":""".repeat(LARGE / 8) // needs more stack than a thread has
            val failed = exchanged({ from.send(nested) }) { runCatching { to.receive<Nested>(Json) } }
            assertThat(failed.exceptionOrNull())
                .isInstanceOf(MessageDecodingException::class.java)
                .hasRootCauseInstanceOf(StackOverflowError::class.java)
            assertThat(exchanged({ from.send("next") }, { to.receiveText() })).isEqualTo("next")
        }

    @Test
    fun `a value that cannot be encoded is refused and nothing is sent`() =
        bothWays { from, to ->
            val failure = runCatching { from.send(Double.NaN, Json) }.exceptionOrNull()
            assertThat(failure).isInstanceOf(SerializationException::class.java)
            assertThat(exchanged({ from.send("next") }, { to.receiveText() })).isEqualTo("next")
        }

    private suspend fun ends(connection: RdmaConnection): List<Result<Any?>> =
        listOf(
            runCatching { connection.receiveOrNull { it.length() } },
            runCatching { connection.receiveTextOrNull() },
            runCatching { connection.receiveBytesOrNull() },
            runCatching { connection.receiveBufferOrNull() },
            runCatching { connection.receiveOrNull<Order>(Json) },
        )

    @Test
    fun `a receiver gets null after an orderly end and what arrived before`() =
        connected { pair ->
            val waiting = async { pair.peer.receiveTextOrNull() to pair.peer.receiveTextOrNull() }
            pair.client.send("last words")
            pair.client.closeAndAwait()
            assertThat(waiting.await()).isEqualTo("last words" to null)
            pair.peer.awaitClosed()
            for (end in ends(pair.peer) + ends(pair.client)) {
                assertThat(end.isSuccess).isTrue()
                assertThat(end.getOrNull()).isNull()
            }
            val failure = runCatching { pair.peer.receiveText() }.exceptionOrNull()
            assertThat(failure).isInstanceOf(ConnectionClosedException::class.java).hasNoCause()
        }

    @Test
    fun `a receiver of a lost connection gets the error`() =
        connected { pair ->
            val waiting = async { runCatching { pair.peer.receiveTextOrNull() } }
            pair.client.abort(IllegalStateException("lost"))
            for (end in listOf(waiting.await()) + ends(pair.peer)) {
                assertThat(end.exceptionOrNull())
                    .isInstanceOf(ConnectionClosedException::class.java)
                    .hasCauseInstanceOf(Exception::class.java)
            }
        }

    @Test
    fun `a receiver that is cancelled gets neither null nor a message`() =
        bothWays { from, to ->
            coroutineScope {
                var end: Result<String?>? = null
                val waiting =
                    launch(start = CoroutineStart.UNDISPATCHED) { end = runCatching { to.receiveTextOrNull() } }
                waiting.cancelAndJoin()
                assertThat(end?.exceptionOrNull()).isInstanceOf(CancellationException::class.java)
                assertThat(exchanged({ from.send("for the next") }, { to.receiveTextOrNull() }))
                    .isEqualTo("for the next")
            }
        }

    private companion object {
        const val COUNT = 60
        const val SEND_BUFFERS = 8
        val FORMATS: List<SerialFormat> = listOf(Json, Cbor)

        /** Texts with characters of one to four bytes, and their UTF-8 as the Unicode standard has it. */
        val UTF_8 =
            mapOf(
                "hello" to "68656c6c6f",
                "é€" to "c3a9e282ac",
                "𝄞😀" to "f09d849ef09f9880",
                "\u0000" to "00",
            )
    }
}
