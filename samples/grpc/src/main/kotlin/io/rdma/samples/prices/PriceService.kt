package io.rdma.samples.prices

import io.grpc.ServerServiceDefinition
import io.grpc.Status
import io.grpc.StatusException
import io.grpc.kotlin.AbstractCoroutineServerImpl
import io.grpc.kotlin.ServerCalls
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.drop
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.runningFold

/** Prices of goods: the latest one, all from now on, and the averages of a client's own. */
class PriceService : AbstractCoroutineServerImpl() {
    private val goods = setOf("apples", "pears")

    override fun bindService(): ServerServiceDefinition =
        ServerServiceDefinition
            .builder(PriceMethods.SERVICE)
            .addMethod(ServerCalls.unaryServerMethodDefinition(context, PriceMethods.latest, ::latest))
            .addMethod(ServerCalls.serverStreamingServerMethodDefinition(context, PriceMethods.watch, ::watch))
            .addMethod(ServerCalls.bidiStreamingServerMethodDefinition(context, PriceMethods.averages, ::averages))
            .build()

    private suspend fun latest(name: String): String = "${price(known(name), 0)}"

    /** Returns prices without an end. The flow waits while the transport takes no more, and a cancel ends it. */
    private fun watch(name: String): Flow<String> =
        flow {
            known(name)
            generateSequence(0) { it + 1 }.forEach { emit("${price(name, it)}") }
        }

    private fun averages(prices: Flow<String>): Flow<String> =
        prices
            .map { it.toInt() }
            .runningFold(Pair(0, 0)) { (sum, count), price -> Pair(sum + price, count + 1) }
            .drop(1)
            .map { (sum, count) -> "${sum / count}" }

    private fun known(name: String): String =
        name.takeIf { it in goods } ?: throw StatusException(Status.NOT_FOUND.withDescription("no price of $name"))

    private fun price(
        name: String,
        number: Int,
    ) = 100 * name.length + number % 100
}
