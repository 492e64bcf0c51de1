// BullMQ: two hundred jobs at once, added in bulk.
import { createInterface } from "node:readline";
import { Queue, Worker } from "bullmq";

const [url, command, count] = process.argv.slice(2);
const { hostname: host, port } = new URL(url);
const connection = { host, port: Number(port), maxRetriesPerRequest: null };
const tell = (facts) => console.log(JSON.stringify(facts));
// Date.now() knows whole milliseconds only.
const now = () => (performance.timeOrigin + performance.now()) / 1000;

if (command === "work") {
  const nothing = async ({ data }) => { if (data.sent) tell({ waited: now() - data.sent }); };
  const worker = new Worker("nothing", nothing, { connection, concurrency: 200 });
  await worker.waitUntilReady();
  tell({ ready: true });
  process.on("SIGTERM", () => worker.close(true).then(() => process.exit(0)));
} else {
  const queue = new Queue("nothing", { connection });
  await queue.waitUntilReady();
  if (command === "enqueue") {
    const begin = performance.now();
    for (let left = Number(count); left > 0; left -= 1000) {
      await queue.addBulk(Array.from({ length: Math.min(1000, left) }, () => ({ name: "nothing", data: {} })));
    }
    tell({ seconds: (performance.now() - begin) / 1000 });
  } else if (command === "enqueue-one") {
    tell({ ready: true });
    for await (const _ of createInterface({ input: process.stdin })) {
      await queue.add("nothing", { sent: now() });
    }
  }
  await queue.close();
}
