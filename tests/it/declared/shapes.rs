//! The types of members, from `known-shapes.md` and `service.md`.

/// What clients of the service read in a section: members of objects and items with their JSON type. `?` allows null;
/// `??` also allows a missing member. Source: `known-shapes.md`, `service.md` and, for newer clients,
/// `later-versions.md`.
pub const SHAPES: [(&str, &str); 68] = [
    (
        "tax",
        "dic:string? ic_dph:string? is_vat_payer:boolean vies_valid:boolean?? vies_verified_at:string??",
    ),
    ("tax_reliability", "index:string? is_reliable:boolean?"),
    ("erased_vat", "is_erased:boolean entries:array"),
    (
        "erased_vat/entries[]",
        "ic_dph:string violation_year:number? erased_at:string? reason:string?",
    ),
    (
        "bank_accounts[]",
        "iban:string bank_name:string? is_published:boolean bank:string? published:boolean",
    ),
    ("contacts", "email:array phone:array website:array"),
    (
        "financials",
        "year:number? revenue:string? profit:string? assets:string? employees_count:number? latest_year:number? \
         employees:number? total_assets:number? total_equity:number? total_liabilities:number? net_profit:number?",
    ),
    ("financials", FIGURES),
    (
        "financial_statements",
        "latest:object? available_years:array statements:array",
    ),
    (
        "financial_statements/statements[]",
        "year:number statement_type:string total_assets:number? total_equity:number? total_liabilities:number? \
         total_revenue:number? net_profit:number? template_type:string? size_category:string?",
    ),
    ("financial_statements/statements[]", FIGURES),
    ("financial_statements/latest", FIGURES),
    ("debtor_status", "is_debtor:boolean sources:array"),
    (
        "debtor_status/sources[]",
        "source:string? debtor_name:string? debt_amount:number? listed_since:string?",
    ),
    (
        "insolvency",
        "has_active_proceedings:boolean proceedings:array",
    ),
    (
        "insolvency/proceedings[]",
        "case_number:string? proceeding_type:string? status:string? court:string? administrator:string? started_at:string?",
    ),
    (
        "execution_authorizations",
        "has_active_authorizations:boolean total_count:number authorizations:array",
    ),
    (
        "execution_authorizations/authorizations[]",
        "ecli:string court_file_number:string? court:string? executor_name:string? enforced_claim:string? \
         creditors:array authorized_at:string? published_at:string?",
    ),
    (
        "commercial_bulletin",
        "total_entries:number latest_entries:array",
    ),
    (
        "commercial_bulletin/latest_entries[]",
        "section:string heading:string published_at:string",
    ),
    (
        "public_contracts_summary",
        "count:number total_value:number?",
    ),
    (
        "procurement_summary",
        "count:number total_awarded_value:number?",
    ),
    (
        "rpvs",
        "is_public_sector_partner:boolean registrations:array",
    ),
    (
        "rpvs/registrations[]",
        "business_name:string person_type:string valid_from:string? beneficial_owners:array",
    ),
    (
        "nbs",
        "is_regulated:boolean license_types:array categories:array is_natural_person:boolean licences:array agents_count:number",
    ),
    (
        "nbs/licences[]",
        "category:string sector:string? country:string? regfap_number:string? valid_from:string? parent:object? \
         status:string first_seen_on:string ended_on:string?",
    ),
    (
        "nbs/licences[]/parent",
        "entity_id:string? ico:string? name:string",
    ),
    (
        "trade_license_activities[]",
        "activity:string since:string? until:string? suspended_from:string? suspended_to:string?",
    ),
    (
        "illegal_employment",
        "listed:boolean count:number since:string? entries:array",
    ),
    (
        "illegal_employment/entries[]",
        "violation_date:string? decision_date:string? decision_number:string? address:string?",
    ),
    (
        "court_decisions",
        "total:number last_5_years:number recent:array",
    ),
    (
        "court_decisions/recent[]",
        "decision_date:string? court:string? case_number:string? role:string? ruling:string? decision_type:string? \
         pdf_url:string?",
    ),
    (
        "employer_headcount",
        "name:string? bracket:string? registered_at:string? deregistered_at:string?",
    ),
    (
        "reges",
        "is_qualified_supplier:boolean registration_id:string? valid_from:string? valid_to:string?",
    ),
    (
        "social_enterprise",
        "is_registered:boolean type:string? granted_at:string? revoked_at:string? certificate_number:string? status:string?",
    ),
    (
        "gleif",
        "lei:string parent_lei:string? ultimate_parent_lei:string? status:string? registration_status:string?",
    ),
    (
        "sanctions",
        "eu_fsf_hits:array ofac_hits:array total_hits:number",
    ),
    (
        "ted_tenders",
        "count:number latest:array total_value:number?",
    ),
    (
        "ted_tenders/latest[]",
        "publication_number:string title:string? publication_date:string? value:number? currency:string?",
    ),
    (
        "replik_administrator",
        "license_number:string region:string? status:string? valid_from:string? valid_to:string?",
    ),
    (
        "sbs",
        "has_licence:boolean license_number:string? license_type:string? valid_from:string? valid_to:string?",
    ),
    (
        "transport_licence",
        "has_licence:boolean eurolicence_number:string? vehicles_count:number? valid_from:string? valid_to:string?",
    ),
    ("utility_licence", "has_licences:boolean segments:array"),
    (
        "utility_licence/segments[]",
        "licence_number:string segment:string valid_from:string? valid_to:string?",
    ),
    (
        "contracting_authority",
        "is_contracting_authority:boolean classification_section:string? classification_label:string?",
    ),
    (
        "debarred",
        "is_debarred:boolean is_listed:boolean status:string? violation_reason:string? banned_from:string? banned_until:string?",
    ),
    (
        "uvo_references",
        "count:number total_value:number? currency:string latest:array",
    ),
    (
        "uvo_references/latest[]",
        "buyer_name:string contract_subject:string document_url:string? rating:any published_at:string? value:number?",
    ),
    (
        "crp_projects",
        "count:number total_value:number? currency:string latest:array",
    ),
    (
        "crp_projects/latest[]",
        "crp_id:any name:string provider:string? help_type:string? amount:number? published_at:string? detail_url:string",
    ),
    (
        "itms21",
        "projects:object applications:object irregularities:object procurement:object",
    ),
    (
        "itms21/projects",
        "count:number total_contracted:number total_disbursed:number currency:string negative_outcomes:number latest:array",
    ),
    (
        "itms21/projects/latest[]",
        "code:string name:string role:string status:string? program:string? call_code:string? provider:string? \
         recipient:string? recipient_ico:string? place:string? in_progress:boolean completed:boolean suspended:boolean \
         excluded_from_funding:boolean terminated_without_contribution:boolean contracted_total:number? \
         contracted_nfp:number? disbursed:number? contract_effective_at:string? started_at:string? \
         planned_end_at:string? detail_url:string",
    ),
    (
        "itms21/applications",
        "count:number approved:number rejected:number total_requested_nfp:number total_approved_nfp:number \
         currency:string latest:array",
    ),
    (
        "itms21/applications/latest[]",
        "code:string name:string role:string status:string? call_code:string? call_name:string? applicant:string? \
         applicant_ico:string? approved:boolean rejected:boolean excluded_from_funding:boolean requested_nfp:number? \
         requested_total:number? approved_nfp:number? approved_total:number? submitted_at:string? detail_url:string",
    ),
    (
        "itms21/irregularities",
        "count:number open:number total_amount:number total_recovered:number total_outstanding:number \
         currency:string entries:array",
    ),
    (
        "itms21/irregularities/entries[]",
        "kind:string code:string status:string? settled:boolean project_code:string? project_name:string? \
         irregularity_type:string? category:string? document_type:string? eu_budget_impact:boolean systemic:boolean \
         amount:number? to_recover:number? recovered:number? outstanding:number detected_at:string? due_at:string?",
    ),
    (
        "itms21/procurement",
        "count:number awarded:number total_awarded_value:number? currency:string",
    ),
    (
        "soi_travel_agency",
        "is_registered:boolean name:string? address:string? insolvency_provider:string? insolvency_amount:number? \
         insolvency_valid_from:string? insolvency_valid_to:string? has_ban:boolean?",
    ),
    (
        "svps_establishments[]",
        "approval_number:string register_type:string section_code:string? section_label:string? activity_code:string? \
         activity_label:string? name:string city:string? district:string? region:string? match_confidence:number? \
         match_method:string?",
    ),
    (
        "fs",
        "dphno:array? dpho:array? dphz:array? dppos:array? dsrdp_registered:boolean? dph_oud:array? rd_deduction:array? \
         investment_deduction:array? patent_box:array? regulated:array?",
    ),
    (
        "fs/dphno[]",
        "period:string? excess_eur:number? own_tax_eur:number?",
    ),
    ("fs/dphz[]", "year:number? published_at:string?"),
    (
        "fs/dppos[]",
        "period_from:string? period_to:string? tax_eur:number? loss_eur:number?",
    ),
    (
        "fs/rd_deduction[]",
        "period:string? amount_eur:number? project:string? started_at:string?",
    ),
    (
        "fs/investment_deduction[]",
        "period:string? amount_eur:number? investment_eur:number? percent_planned:number?",
    ),
    (
        "fs/patent_box[]",
        "subtype:string? period:string? exemption_eur:number? patent_text:string?",
    ),
    ("fs/regulated[]", "type:string? from:string? to:string?"),
];

/// The same for data of every company.
pub const BASE: [(&str, &str); 3] = [
    (
        "data",
        "id:number ico:string name:string legal_form:string? legal_form_code:string? address:object \
         established_date:string? terminated_date:string? source_register:string status:string nace_code:string? \
         nace_description:string?",
    ),
    (
        "data/address",
        "street:string? city:string? postal_code:string? country:string?",
    ),
    (
        "meta",
        "rpo_updated_at:string? orsr_synced_at:string? enriched_at:string? profile_built_at:string source:string \
         cached:boolean stale:boolean",
    ),
];

/// The same for companies in the commercial register.
pub const DETAILS: [(&str, &str); 3] = [
    (
        "data",
        "orsr_id:string? registration_date:string? business_activities:array registered_capital:string? \
         shareholders:array statutory_body:array",
    ),
    (
        "data/shareholders[]",
        "name:string address:string? share_amount:string? share_percentage:string? is_company:boolean ico:string? \
         share_paid:string? share_currency:string? contribution_kind:string? function:string? \
         stakeholder_type:string? effective_from:string? effective_to:string? current:boolean",
    ),
    (
        "data/statutory_body[]",
        "name:string role:string? address:string? acting_method:string? function:string? body_type:string? \
         appointed_at:string? effective_from:string? effective_to:string? current:boolean",
    ),
];

/// Figures of a statement with one meaning each, which newer clients read.
const FIGURES: &str = "accounting_basis:string? template_family:string? net_turnover:number? sales_revenue:number? \
     operating_income:number? financial_income:number? total_income:number? total_expenses:number? \
     operating_result:number? financial_result:number? profit_before_tax:number? income_tax:number? accruals:number? \
     total_receipts:number? total_expenditures:number? receipts_minus_expenditures:number? property_total:number? \
     debts_total:number? property_minus_debts:number? figure_sources:object?";
