// pg-boss: batches of a thousand, fetched at once while they are full; woken by notices; bulk insert.
import { createInterface } from "node:readline";
import { PgBoss } from "pg-boss";

const [url, command, count] = process.argv.slice(2);
const tell = (facts) => console.log(JSON.stringify(facts));
const now = () => (performance.timeOrigin + performance.now()) / 1000;
const boss = new PgBoss({ connectionString: url, max: 10, useListenNotify: true });
boss.on("error", console.error);
await boss.start();

const prepare = () => boss.createQueue("nothing", { notify: true });
const enqueue = async () => {
  const begin = performance.now();
  for (let left = Number(count); left > 0; left -= 5000) {
    await boss.insert("nothing", Array.from({ length: Math.min(5000, left) }, () => ({ data: {} })));
  }
  tell({ seconds: (performance.now() - begin) / 1000 });
};
const enqueueOne = async () => {
  tell({ ready: true });
  for await (const _ of createInterface({ input: process.stdin })) await boss.send("nothing", { sent: now() });
};
const work = async () => {
  const settings = { batchSize: 1000, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
  await boss.work("nothing", settings, async (jobs) => {
    for (const { data } of jobs) if (data?.sent) tell({ waited: now() - data.sent });
  });
  tell({ ready: true });
  await new Promise(() => {});
};

await { prepare, enqueue, "enqueue-one": enqueueOne, work }[command]();
await boss.stop({ graceful: false });
process.exit(0);
