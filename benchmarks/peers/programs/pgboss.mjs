// pg-boss: batches of a thousand, bulk insert.
import { createInterface } from "node:readline";
import * as module from "pg-boss";

const PgBoss = module.PgBoss ?? module.default;
const [url, command, count] = process.argv.slice(2);
const tell = (facts) => console.log(JSON.stringify(facts));
const boss = new PgBoss({ connectionString: url, max: 4 });
boss.on("error", () => {});
await boss.start();
await boss.createQueue("nothing").catch(() => {});

if (command === "enqueue") {
  const begin = performance.now();
  for (let left = Number(count); left > 0; left -= 5000) {
    const jobs = Array.from({ length: Math.min(5000, left) }, () => ({ name: "nothing", data: {} }));
    await (boss.insert.length >= 2 ? boss.insert("nothing", jobs) : boss.insert(jobs));
  }
  tell({ seconds: (performance.now() - begin) / 1000 });
} else if (command === "enqueue-one") {
  tell({ ready: true });
  for await (const _ of createInterface({ input: process.stdin })) await boss.send("nothing", { sent: Date.now() / 1000 });
} else if (command === "work") {
  let busy = false;
  const handle = (jobs) => {
    for (const { data } of jobs) if (data?.sent) tell({ waited: Date.now() / 1000 - data.sent });
  };
  // Its own loop sleeps at least half a second between batches; fetching by hand is the documented way around it.
  const drain = async () => {
    if (busy) return;
    busy = true;
    for (let jobs; (jobs = await boss.fetch("nothing", { batchSize: 1000 })) && jobs.length; ) {
      handle(jobs);
      await boss.complete("nothing", jobs.map((job) => job.id));
    }
    busy = false;
  };
  setInterval(drain, 10);
  tell({ ready: true });
}
if (command !== "work") await boss.stop({ graceful: false }), process.exit(0);
