-- What keeps a tenant from running one more job of some cost: its cap, its budget of the day or of the month.
CREATE FUNCTION {schema}.find_tenant_wait(
    job_tenant text, cost bigint, OUT barrier text, OUT until timestamptz
)
LANGUAGE plpgsql
AS $$
DECLARE
    rule json := (SELECT body FROM rules WHERE kind = 'tenant' AND name = job_tenant);
    held record;
BEGIN
    IF rule IS NULL THEN
        RETURN;
    END IF;
    -- In one look: an end moves what it had reserved over to what is spent.
    SELECT
        count(*) AS running, coalesce(sum(max_cost_microcents), 0) + cost AS reserved,
        (SELECT coalesce(sum(spent.cost), 0) FROM spent WHERE tenant = job_tenant AND day >= day_of(clock())) AS today,
        (SELECT coalesce(sum(spent.cost), 0) FROM spent WHERE tenant = job_tenant AND day >= month_of(clock())) AS month
    INTO held
    FROM jobs WHERE state = 'running' AND tenant = job_tenant;
    IF held.running >= (rule ->> 'max_running')::bigint THEN
        barrier := 'cap:' || job_tenant;
        until := 'infinity';
    ELSIF held.today + held.reserved > (rule ->> 'daily_budget_microcents')::numeric THEN
        barrier := 'budget:' || job_tenant || E'\x1f' || cost;
        until := day_after(clock());
    ELSIF held.month + held.reserved > (rule ->> 'monthly_budget_microcents')::numeric THEN
        barrier := 'budget:' || job_tenant || E'\x1f' || cost;
        until := month_after(clock());
    END IF;
END
$$;
