package io.rdma.samples.prices

import io.grpc.CallOptions
import io.grpc.Channel
import io.grpc.kotlin.AbstractCoroutineStub
import io.grpc.kotlin.ClientCalls
import kotlinx.coroutines.flow.Flow

/** Client of [PriceService]: calls suspend, and streams are flows. */
class PriceClient(
    channel: Channel,
    options: CallOptions = CallOptions.DEFAULT,
) : AbstractCoroutineStub<PriceClient>(channel, options) {
    override fun build(
        channel: Channel,
        callOptions: CallOptions,
    ) = PriceClient(channel, callOptions)

    /** Returns the price of now. */
    suspend fun latest(name: String): String = ClientCalls.unaryRpc(channel, PriceMethods.latest, name, callOptions)

    /** Returns all prices from now on. */
    fun watch(name: String): Flow<String> =
        ClientCalls.serverStreamingRpc(channel, PriceMethods.watch, name, callOptions)

    /** Returns the average of the prices so far, for each of them. */
    fun averages(prices: Flow<String>): Flow<String> =
        ClientCalls.bidiStreamingRpc(channel, PriceMethods.averages, prices, callOptions)
}
