#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A bad network: passes TCP streams on, each chunk later.

Usage: relay.py PORT HOST:PORT DELAY_S SHARE LATE_S SEED. A chunk comes DELAY_S later; a SHARE of them LATE_S more, and
what follows in its direction waits for it. Prints "listens" when it does."""
import asyncio
import random
import sys

port, address, delay_s, share, late_s, seed = sys.argv[1:]
host, host_port = address.rsplit(":", 1)
delay_s, share, late_s = float(delay_s), float(share), float(late_s)
chance = random.Random(int(seed))


async def write(queue, writer):
    clock = asyncio.get_running_loop().time
    try:
        while True:
            due_s, chunk = await queue.get()
            await asyncio.sleep(max(0.0, due_s - clock()))
            if not chunk:
                break
            writer.write(chunk)
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()


async def pump(reader, writer):
    clock = asyncio.get_running_loop().time
    queue = asyncio.Queue()
    out = asyncio.create_task(write(queue, writer))
    chunk, last_s = b"-", 0.0
    while chunk:
        try:
            chunk = await reader.read(65536)
        except ConnectionError:
            chunk = b""
        last_s = max(last_s, clock() + delay_s + (late_s if chance.random() < share else 0.0))
        queue.put_nowait((last_s, chunk))
    await out


async def connect(reader, writer):
    try:
        to_host = await asyncio.open_connection(host, int(host_port))
    except OSError:
        writer.close()
        return
    await asyncio.gather(pump(reader, to_host[1]), pump(to_host[0], writer))


async def main():
    server = await asyncio.start_server(connect, "127.0.0.1", int(port))
    print("listens", flush=True)
    await server.serve_forever()


asyncio.run(main())
