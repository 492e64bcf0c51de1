-- The tenants that wait in fair queues, by the turns that they have had: a row for each type of which a tenant has a lane
-- that is not parked. 0 stands for every place that is not ahead of the queue. Triggers keep it, so that older code on the
-- same file does, too.
CREATE TABLE dibs_ring (
    queue TEXT NOT NULL,
    tenant TEXT NOT NULL,
    job_type TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (queue, tenant, job_type)
) WITHOUT ROWID;
CREATE INDEX dibs_ring_places ON dibs_ring (queue, job_type, place, tenant);
CREATE INDEX dibs_turns_places ON dibs_turns (queue, place);

CREATE TRIGGER dibs_lanes_added AFTER INSERT ON dibs_lanes
WHEN NEW.parked_on = '' AND EXISTS (SELECT 1 FROM dibs_rules WHERE kind = 'queue' AND name = NEW.queue)
BEGIN
    INSERT INTO dibs_ring (queue, tenant, job_type, place) VALUES (NEW.queue, NEW.tenant, NEW.job_type, coalesce((
        SELECT place FROM dibs_turns AS ahead
        WHERE ahead.queue = NEW.queue AND ahead.tenant = NEW.tenant AND ahead.place > (
            SELECT place FROM dibs_turns AS reached WHERE reached.queue = NEW.queue AND reached.tenant = ''
        )
    ), 0)) ON CONFLICT DO NOTHING; END;
CREATE TRIGGER dibs_lanes_freed AFTER UPDATE OF parked_on ON dibs_lanes
WHEN NEW.parked_on = '' AND OLD.parked_on <> ''
    AND EXISTS (SELECT 1 FROM dibs_rules WHERE kind = 'queue' AND name = NEW.queue)
BEGIN
    INSERT INTO dibs_ring (queue, tenant, job_type, place) VALUES (NEW.queue, NEW.tenant, NEW.job_type, coalesce((
        SELECT place FROM dibs_turns AS ahead
        WHERE ahead.queue = NEW.queue AND ahead.tenant = NEW.tenant AND ahead.place > (
            SELECT place FROM dibs_turns AS reached WHERE reached.queue = NEW.queue AND reached.tenant = ''
        )
    ), 0)) ON CONFLICT DO NOTHING; END;
CREATE TRIGGER dibs_lanes_parked AFTER UPDATE OF parked_on ON dibs_lanes
WHEN NEW.parked_on <> '' AND OLD.parked_on = ''
BEGIN
    DELETE FROM dibs_ring
    WHERE queue = OLD.queue AND tenant = OLD.tenant AND job_type = OLD.job_type AND NOT EXISTS (
        SELECT 1 FROM dibs_lanes AS other
        WHERE other.parked_on = '' AND other.queue = OLD.queue AND other.job_type = OLD.job_type
            AND other.tenant = OLD.tenant
    ); END;
CREATE TRIGGER dibs_lanes_removed AFTER DELETE ON dibs_lanes
WHEN OLD.parked_on = ''
BEGIN
    DELETE FROM dibs_ring
    WHERE queue = OLD.queue AND tenant = OLD.tenant AND job_type = OLD.job_type AND NOT EXISTS (
        SELECT 1 FROM dibs_lanes AS other
        WHERE other.parked_on = '' AND other.queue = OLD.queue AND other.job_type = OLD.job_type
            AND other.tenant = OLD.tenant
    ); END;
CREATE TRIGGER dibs_turns_added AFTER INSERT ON dibs_turns WHEN NEW.tenant <> ''
BEGIN UPDATE dibs_ring SET place = NEW.place WHERE queue = NEW.queue AND tenant = NEW.tenant; END;
CREATE TRIGGER dibs_turns_taken AFTER UPDATE OF place ON dibs_turns WHEN NEW.tenant <> ''
BEGIN UPDATE dibs_ring SET place = NEW.place WHERE queue = NEW.queue AND tenant = NEW.tenant; END;
CREATE TRIGGER dibs_rules_added AFTER INSERT ON dibs_rules WHEN NEW.kind = 'queue'
BEGIN
    INSERT INTO dibs_ring (queue, tenant, job_type, place)
    SELECT DISTINCT lanes.queue, lanes.tenant, lanes.job_type, coalesce((
        SELECT place FROM dibs_turns AS ahead
        WHERE ahead.queue = lanes.queue AND ahead.tenant = lanes.tenant AND ahead.place > (
            SELECT place FROM dibs_turns AS reached WHERE reached.queue = lanes.queue AND reached.tenant = ''
        )
    ), 0)
    FROM dibs_lanes AS lanes WHERE lanes.parked_on = '' AND lanes.queue = NEW.name
    ON CONFLICT DO NOTHING; END;
CREATE TRIGGER dibs_rules_removed AFTER DELETE ON dibs_rules WHEN OLD.kind = 'queue'
BEGIN DELETE FROM dibs_ring WHERE queue = OLD.name; END;

INSERT INTO dibs_ring (queue, tenant, job_type, place)
SELECT DISTINCT lanes.queue, lanes.tenant, lanes.job_type, coalesce((
    SELECT place FROM dibs_turns AS ahead
    WHERE ahead.queue = lanes.queue AND ahead.tenant = lanes.tenant AND ahead.place > (
        SELECT place FROM dibs_turns AS reached WHERE reached.queue = lanes.queue AND reached.tenant = ''
    )
), 0)
FROM dibs_lanes AS lanes
WHERE lanes.parked_on = '' AND lanes.queue IN (SELECT name FROM dibs_rules WHERE kind = 'queue');
